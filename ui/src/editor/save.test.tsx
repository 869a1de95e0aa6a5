import { fireEvent, screen } from '@testing-library/react';
import { useEffect, useState } from 'react';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../api/transport';
import type { DocumentText } from '../api/types';
import { useDraft, useWorkspace } from '../app/workspace';
import { FakeTransport, documentText, show } from '../testing/fake';
import { Bars } from './bars';
import { useSaving } from './save';

const KEY = 'computation/score';

function Harness({ document, typed }: { document: DocumentText; typed: string }) {
  const { drafts } = useWorkspace();
  const [said, setSaid] = useState('');
  const draft = useDraft(KEY);
  const { save, keepMine, failed } = useSaving(draft, setSaid);
  useEffect(() => {
    drafts.read(document);
    drafts.type(KEY, typed);
  }, [drafts, document, typed]);
  if (!draft) return null;
  return (
    <>
      <Bars draft={draft} comparing={null} compare={() => undefined} keepMine={() => void keepMine()} takeTheirs={() => drafts.takeTheirs(KEY)} restore={() => undefined} drop={() => undefined} save={() => void save()} />
      <button type="button" onClick={() => void save()}>Save</button>
      <output>{draft.text}</output>
      <p>{said}</p>
      {failed !== null && <p>failed</p>}
    </>
  );
}

/** A file on a disk that others write too. */
class Disk {
  text = 'one';
  base = 'b1';
  turn = 1;
  write(text: string) { this.turn += 1; this.text = text; this.base = `b${this.turn}`; }
  answer = ({ body }: { body: { text: string; base: string | null } }) => {
    if (body.base !== this.base) throw new Refusal({ status: 409, detail: 'Changed outside', kind: 'concurrent_change', theirs: this.text, theirs_base: this.base });
    this.write(body.text);
    return { document: documentText({ text: this.text, base: this.base, version: this.turn, saved_text: this.text }) };
  };
}

const open = (disk: Disk, typed: string) => {
  const transport = new FakeTransport().on(`PUT /studio/api/documents/${KEY}`, disk.answer);
  show(transport, <Harness document={DOCUMENT} typed={typed} />);
  return transport;
};
const DOCUMENT = documentText();

describe('saving', () => {
  test('a save over an unchanged file records a version', async () => {
    const disk = new Disk();
    open(disk, 'mine');
    fireEvent.click(screen.getByText('Save'));
    expect(await screen.findByText('Saved as version 2.')).toBeTruthy();
    expect(disk.text).toBe('mine');
  });

  test('a file changed outside is never overwritten unseen: the text stays and a bar offers the choice', async () => {
    const disk = new Disk();
    open(disk, 'mine');
    disk.write('theirs');
    fireEvent.click(screen.getByText('Save'));
    expect(await screen.findByText('The file changed outside')).toBeTruthy();
    expect(disk.text).toBe('theirs');
    expect(document.querySelector('output')?.textContent).toBe('mine');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('keep mine replaces only the text that was shown; another change meanwhile is another conflict', async () => {
    const disk = new Disk();
    const transport = open(disk, 'mine');
    disk.write('theirs');
    fireEvent.click(screen.getByText('Save'));
    await screen.findByText('The file changed outside');
    disk.write('theirs again');
    fireEvent.click(screen.getByRole('button', { name: 'Keep mine' }));
    expect(await screen.findByText('The file changed outside')).toBeTruthy();
    expect(disk.text).toBe('theirs again');
    fireEvent.click(screen.getByRole('button', { name: 'Keep mine' }));
    expect(await screen.findByText(/Saved as version/)).toBeTruthy();
    expect(disk.text).toBe('mine');
    expect(transport.sent(`PUT /studio/api/documents/${KEY}`).map((call) => (call.body as { base: string }).base)).toEqual(['b1', 'b2', 'b3']);
  });

  test('take theirs puts their text on screen', async () => {
    const disk = new Disk();
    open(disk, 'mine');
    disk.write('theirs');
    fireEvent.click(screen.getByText('Save'));
    fireEvent.click(await screen.findByRole('button', { name: 'Take theirs' }));
    expect(document.querySelector('output')?.textContent).toBe('theirs');
    expect(disk.text).toBe('theirs');
  });

  test('a file deleted outside is made anew only when asked', async () => {
    const bases: (string | null)[] = [];
    const transport = new FakeTransport().on(`PUT /studio/api/documents/${KEY}`, ({ body }: { body: { text: string; base: string | null } }) => {
      bases.push(body.base);
      if (body.base !== null) throw new Refusal({ status: 409, detail: 'Removed outside', kind: 'concurrent_change', theirs: null, theirs_base: null });
      return { document: documentText({ text: body.text, base: 'b9', version: 2 }) };
    });
    show(transport, <Harness document={DOCUMENT} typed="mine" />);
    fireEvent.click(screen.getByText('Save'));
    expect(await screen.findByText('The file was deleted outside.')).toBeTruthy();
    expect(bases).toEqual(['b1']);
    fireEvent.click(screen.getByRole('button', { name: 'Save to restore it' }));
    expect(await screen.findByText('Saved as version 2.')).toBeTruthy();
    expect(bases).toEqual(['b1', null]);
  });

  test('a save that nobody answered leaves the text, unsaved', async () => {
    const transport = new FakeTransport().on(`PUT /studio/api/documents/${KEY}`, () => { throw new Refusal({ status: 503, detail: 'The disk is full' }); });
    show(transport, <Harness document={DOCUMENT} typed="mine" />);
    fireEvent.click(screen.getByText('Save'));
    expect(await screen.findByText('failed')).toBeTruthy();
    expect(document.querySelector('output')?.textContent).toBe('mine');
  });
});
