/** The author's own overview: Markdown from the file beside the document, made safe by the runtime. */

import { useEffect, useState } from 'react';
import { useStudio } from '../../api/react';
import { wordsOf } from '../../api/transport';
import { Band, Loading } from '../../app/parts';
import { Prose } from '../../data/prose';

export function AuthorOverview({ markdown }: { markdown: string }) {
  const studio = useStudio();
  const [made, setMade] = useState<{ html: string } | { error: unknown } | null>(null);
  useEffect(() => {
    let wanted = true;
    studio.markdown(markdown).then(
      (answer) => { if (wanted) setMade(answer); },
      (error: unknown) => { if (wanted) setMade({ error }); },
    );
    return () => { wanted = false; };
  }, [studio, markdown]);
  if (made === null) return <Loading what="Reading the overview" />;
  return 'html' in made ? <Prose html={made.html} label="The author’s overview" /> : <Band tone="warn">{wordsOf(made.error)}</Band>;
}
