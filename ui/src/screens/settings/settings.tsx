/** The looks, the self-check with remedies, and the keys. */

import { useState } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import { useRuntime, useStudioState } from '../../api/react';
import { keyWords, useAllCommands } from '../../app/commands';
import { Button, Failure, Key, Loading, SignMark, Words } from '../../app/parts';
import { change, useSettings, type Density, type Theme } from '../../app/settings';
import { useWorkspace } from '../../app/workspace';
import type { Sign } from '../../words/state';
import { count } from '../../words/time';
import styles from './settings.module.css';

interface SelfCheck { what: string; sign: Sign; words: string }

/** Whether this webview keeps what is typed across a crash. */
function storeWorks(): boolean {
  try {
    localStorage.setItem('playbook.probe', '1');
    localStorage.removeItem('playbook.probe');
    return true;
  } catch {
    return false;
  }
}

const good = (word: string): Sign => ({ tone: 'good', word, sentence: word });
const warn = (word: string): Sign => ({ tone: 'warn', word, sentence: word });
const bad = (word: string): Sign => ({ tone: 'bad', word, sentence: word });

export default function Settings() {
  const settings = useSettings();
  const { folder } = useWorkspace();
  const { connection } = useRuntime();
  const state = useStudioState();
  const commands = useAllCommands();
  const [copied, setCopied] = useState(false);
  if (!state.value) return state.error ? <Failure title="The runtime does not answer" error={state.error} /> : <Loading what="Checking" />;
  const { program, host, compiler } = state.value;
  const stalled = folder.documents.filter((row) => row.standing?.state === 'stalled').length;

  const checks: SelfCheck[] = [
    { what: 'Runtime', sign: connection === 'lost' ? bad('not reached') : good('answers'), words: `${program.name} ${program.version}, ${host === 'desktop' ? 'in this app' : 'over HTTP on this machine'}` },
    { what: 'Folder and log', sign: folder.problems.length > 0 ? warn(count(folder.problems.length, 'problem')) : good('open'), words: folder.problems[0] ? `${folder.problems[0].path}: ${folder.problems[0].message} ${folder.problems[0].hint ?? ''}` : folder.path },
    { what: 'TypeScript compiler', sign: compiler.ready ? good('ready') : warn('missing'), words: compiler.ready ? compiler.sentence ?? 'Modules are checked while you type.' : `${compiler.sentence ?? 'It is not here.'} Everything that needs no check goes on.` },
    { what: 'Views', sign: stalled > 0 ? bad(`${stalled} stalled`) : good('none stalled'), words: count(folder.documents.filter((row) => row.type === 'recall').length, 'recall function') },
    { what: 'Crash copies', sign: storeWorks() ? good('kept') : warn('not kept'), words: storeWorks() ? 'What is typed and not saved is offered again after a crash.' : 'This webview keeps nothing: save often.' },
    { what: 'Webview', sign: good('runs'), words: navigator.userAgent },
  ];
  const report = () => [
    `${program.name} ${program.version} (${host})`,
    ...checks.map((check) => `${check.what}: ${check.sign.word}. ${check.words}`),
    `Definitions: ${folder.documents.length}; problems: ${folder.documents.reduce((sum, row) => sum + row.problems, 0)}`,
  ].join('\n');

  return (
    <div className={styles.page}>
      <div className={styles.inner}>
        <h1>Settings and self-check</h1>
        <section aria-labelledby="looks">
          <h2 id="looks">Looks</h2>
          <Choice label="Theme" value={settings.theme} choices={[['system', 'As the system'], ['light', 'Light'], ['dark', 'Dark']]} choose={(theme) => change({ theme: theme as Theme })} />
          <Choice label="Rows" value={settings.density} choices={[['dense', 'Dense'], ['roomy', 'Roomy']]} choose={(density) => change({ density: density as Density })} />
        </section>
        <section aria-labelledby="selfcheck">
          <h2 id="selfcheck">Self-check</h2>
          <div className={styles.checks}>
            {checks.map((check) => <div key={check.what} className={styles.check}><span>{check.what}</span><SignMark sign={check.sign} /><span><Words text={check.words} /></span></div>)}
          </div>
          <p style={{ marginTop: 12 }}>
            <Button icon="copy" onClick={() => void navigator.clipboard?.writeText(report()).then(() => setCopied(true))}>Copy report</Button>
            <span role="status" style={{ marginInlineStart: 10 }}>{copied ? 'Copied. It holds no key and no text of yours.' : ''}</span>
          </p>
        </section>
        <section aria-labelledby="keys">
          <h2 id="keys">Keys</h2>
          <div className={styles.keys}>
            {commands.filter((command) => command.keys && !/^tab\.\d/.test(command.id)).map((command) => (
              <div key={command.id} className={styles.key}><span>{command.title}</span><Key>{keyWords(command.keys ?? '')}</Key></div>
            ))}
            <div className={styles.key}><span>Save, run, next problem, fix</span><span><Key>{keyWords('Mod+S')}</Key> <Key>{keyWords('Mod+Enter')}</Key> <Key>F8</Key> <Key>{keyWords('Mod+.')}</Key></span></div>
            <div className={styles.key}><span>Leave the editor with Tab</span><span><Key>Esc</Key> <Key>Tab</Key></span></div>
          </div>
        </section>
      </div>
    </div>
  );
}

function Choice({ label, value, choices, choose }: { label: string; value: string; choices: readonly (readonly [string, string])[]; choose: (value: string) => void }) {
  return (
    <RadioGroup className={styles.choice ?? ''} value={value} onChange={choose} orientation="horizontal">
      <Label>{label}</Label>
      <div className={styles.radios}>
        {choices.map(([id, title]) => <Radio key={id} value={id} className={styles.radio ?? ''}>{title}</Radio>)}
      </div>
    </RadioGroup>
  );
}
