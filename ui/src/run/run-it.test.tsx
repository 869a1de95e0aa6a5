import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../api/transport';
import type { Json } from '../api/types';
import { FakeTransport, show } from '../testing/fake';
import { RunIt } from './run-it';

const SCHEMA: Json = { type: 'object', required: ['campaign'], properties: { campaign: { type: 'string' } } };
const RUN = '/v1/orgs/local/playbooks/reviews/definitions/computation';

describe('running a definition', () => {
  test('a saved version runs as a recorded run, and the result names it', async () => {
    const transport = new FakeTransport()
      .on('GET /studio/api/inputs/computation/score', { inputs: [{ name: 'spring', value: { campaign: 'spring' } }] })
      .on(`POST ${RUN}/score/run`, (call: { body: { run_id: string } }) => ({ run_id: call.body.run_id, type: 'computation', name: 'score', definition_version: 3, status: 'succeeded', output: { verdict: 'approve' }, record: { work: 2, duration_ms: 12 }, started_at: '', started_by: 'local' }));
    show(transport, <RunIt type="computation" name="score" schema={SCHEMA} unsaved={false} screen={() => null} version={3} />);
    await screen.findByRole('option', { name: 'spring' });
    fireEvent.change(screen.getByLabelText('Saved inputs'), { target: { value: '0' } });
    fireEvent.click(screen.getByRole('button', { name: 'Run version 3' }));
    expect(await screen.findByText('succeeded')).toBeTruthy();
    expect(screen.getByText('"approve"')).toBeTruthy();
    expect(screen.getByText('2 checkpoints')).toBeTruthy();
    const [sent] = transport.sent(`POST ${RUN}/score/run`);
    expect(sent?.body).toMatchObject({ input: { campaign: 'spring' }, run_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
    expect(screen.getByText(/Version 3 ran/)).toBeTruthy();
    expect(transport.sent('POST /studio/api/trial')).toHaveLength(0);
  });

  test('a text that is not saved is tried as it stands on the screen, and says that nothing is recorded', async () => {
    const transport = new FakeTransport().on('POST /studio/api/trial', { ending: { status: 'succeeded', output: 7, record: {} } });
    show(transport, <RunIt type="computation" name="tried" schema={SCHEMA} unsaved screen={() => 'the text on screen'} version={3} />);
    fireEvent.click(screen.getByRole('button', { name: 'Try this text' }));
    expect(await screen.findByText(/The text on screen at .* ran, recorded nowhere/)).toBeTruthy();
    expect(transport.sent('POST /studio/api/trial')[0]?.body).toMatchObject({ text: 'the text on screen' });
    expect(screen.getByRole('button', { name: 'Run version 3' })).toBeTruthy();
  });

  test('a refusal stands in words, with each issue at its field', async () => {
    const transport = new FakeTransport()
      .on(`POST ${RUN}/refused/run`, () => { throw new Refusal({ status: 422, detail: 'The input does not match the input schema.', reason: 'invalid_input', errors: [{ detail: 'Expected at least 1 character', pointer: '/input/campaign' }] }); })
      .on('GET /v1/orgs/local/playbooks/reviews/runs/x', null);
    show(transport, <RunIt type="computation" name="refused" schema={SCHEMA} unsaved={false} screen={() => null} version={1} />);
    fireEvent.click(screen.getByRole('button', { name: 'Run version 1' }));
    expect(await screen.findByText('The input does not match the input schema.')).toBeTruthy();
    expect(screen.getAllByText('Expected at least 1 character')).toHaveLength(2);
    expect(screen.getByText('Rejected: the input does not fit.')).toBeTruthy();
  });

  test('a text with problems is not tried, and the button says why', () => {
    const transport = new FakeTransport();
    show(transport, <RunIt type="computation" name="wrong" schema={SCHEMA} unsaved screen={() => 'wrong'} version={null} why="The text on screen has 2 problems." />);
    const button = screen.getByRole('button', { name: 'Try this text' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(button.title).toBe('The text on screen has 2 problems.');
    fireEvent.click(button);
    expect(transport.sent('POST /studio/api/trial')).toHaveLength(0);
  });

  test('form and JSON are one value: a text that is not JSON is kept and explained', async () => {
    const transport = new FakeTransport().on('GET /studio/api/inputs/computation/broken', { inputs: [{ name: 'torn', text: '{"campaign": ', problem: 'It is no JSON' }] });
    show(transport, <RunIt type="computation" name="broken" schema={SCHEMA} unsaved={false} screen={() => null} version={1} />);
    fireEvent.change(screen.getByLabelText('campaign'), { target: { value: 'autumn' } });
    await screen.findByRole('option', { name: /torn/ });
    fireEvent.change(screen.getByLabelText('Saved inputs'), { target: { value: '0' } });
    expect(screen.getByText(/The input is not JSON, so there is no form of it/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Run version 1' }).getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(screen.getByRole('button', { name: 'Mend it' }));
    await waitFor(() => expect(document.querySelector('.cm-content')?.textContent).toBe('{"campaign": '));
    fireEvent.click(screen.getByRole('button', { name: 'Form' }));
    fireEvent.click(screen.getByRole('button', { name: 'Use the last readable one' }));
    expect(screen.getByLabelText<HTMLInputElement>('campaign').value).toBe('autumn');
  });

  test('what was typed a moment ago is what runs, though it is not drawn yet', async () => {
    const transport = new FakeTransport().on('POST /studio/api/trial', { ending: { status: 'succeeded', output: 7, record: {} } });
    show(transport, <RunIt type="computation" name="quick" schema={SCHEMA} unsaved={false} screen={() => 'typed just now'} version={3} />);
    fireEvent.keyDown(screen.getByLabelText('campaign'), { key: 'Enter', ctrlKey: true });
    expect(await screen.findByText(/ran, recorded nowhere/)).toBeTruthy();
    expect(transport.sent('POST /studio/api/trial')[0]?.body).toMatchObject({ text: 'typed just now' });
    expect(transport.sent(`POST ${RUN}/quick/run`)).toHaveLength(0);
  });
});
