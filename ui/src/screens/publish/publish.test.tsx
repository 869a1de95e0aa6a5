import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { Plan, PlanItem, PublishResult, Server } from '../../api/types';
import { FakeTransport, show } from '../../testing/fake';
import { PlanView } from './plan';
import { Results } from './results';
import { originProblem } from './server-form';

const SERVER: Server = { id: 's1', name: 'Team', origin: 'https://example.org', org: 'local', playbook: 'reviews', key: 'keychain' };
const item = (given: Partial<PlanItem>): PlanItem => ({
  type: 'computation', name: 'score', state: 'changed_here', action: 'publish', version_there: 3, by_there: 'ana', at_there: '2026-11-30T10:12:00Z',
  mine: null, base: null, theirs: null, effects: [], ...given,
});
const plan = (...items: PlanItem[]): Plan => ({ id: 'p1', read_at: '2026-11-30T10:12:00Z', playbook: { exists: true, name: 'Reviews' }, items });

describe('the plan', () => {
  test('what changed in both is stopped, and is not overwritten unless its name is typed', () => {
    const sent: unknown[] = [];
    show(new FakeTransport(), <PlanView server={SERVER} again={() => undefined} send={(items) => sent.push(items)} plan={plan(item({ name: 'both', state: 'changed_both', action: 'stop', version_there: 7 }), item({ name: 'mine' }))} />);
    const choice = screen.getByLabelText<HTMLSelectElement>('What to do with computation/both');
    expect(choice.value).toBe('skip');
    fireEvent.click(screen.getByRole('button', { name: 'Send 1' }));
    expect(sent[0]).toEqual([{ type: 'computation', name: 'both', action: 'skip' }, { type: 'computation', name: 'mine', action: 'publish' }]);

    fireEvent.change(choice, { target: { value: 'overwrite' } });
    const button = screen.getByRole('button', { name: 'Send 2' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(button);
    expect(sent).toHaveLength(1);
    fireEvent.change(screen.getByLabelText(/to mean it/), { target: { value: 'both' } });
    fireEvent.click(screen.getByRole('button', { name: 'Send 2' }));
    expect(sent[1]).toEqual([{ type: 'computation', name: 'both', action: 'overwrite' }, { type: 'computation', name: 'mine', action: 'publish' }]);
  });

  test('what changed there is pulled and never sent over; what is blocked says why', () => {
    show(new FakeTransport(), <PlanView server={SERVER} again={() => undefined} send={() => undefined} plan={plan(
      item({ name: 'theirs', state: 'changed_there', action: 'pull' }), item({ name: 'blocked', state: 'blocked', action: 'nothing', blocked: 'It has 2 problems.' }))} />);
    const options = within(screen.getByLabelText('What to do with computation/theirs')).getAllByRole('option').map((option) => option.textContent);
    expect(options).toEqual(['Pull theirs', 'Leave out']);
    expect(screen.queryByLabelText('What to do with computation/blocked')).toBeNull();
    expect(screen.getByText('It has 2 problems.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Pull 1' })).toBeTruthy();
  });
});

describe('the results', () => {
  const result = (given: Partial<PublishResult>): PublishResult => ({ type: 'computation', name: 'score', outcome: 'published', version: 4, checked_at: null, sent_at: null, read_back_at: null, ...given });

  test('only what was read back is green', () => {
    show(new FakeTransport(), <Results server={SERVER} again={() => undefined} results={[
      result({ name: 'proved', read_back_at: '2026-11-30T10:12:04Z' }), result({ name: 'unproved' }), result({ name: 'silent', outcome: 'unsure' }), result({ name: 'wrong', outcome: 'refused', problems: [{ line: 9, detail: 'Unknown keyword' }] }),
    ]} />);
    const signs = screen.getAllByRole('listitem').filter((row) => row.querySelector('a')).map((row) => row.firstElementChild);
    expect(signs.map((sign) => sign?.textContent)).toContain('published');
    expect(signs.filter((sign) => sign?.className.includes('good')).map((sign) => sign?.textContent)).toEqual(['published']);
    expect(screen.getByText('sent, not proved').className).toContain('unsure');
    expect(screen.getByText(/1 definition published and read back equal, 2 not sure, 1 did not go through/)).toBeTruthy();
    expect(screen.getByText('Line 9')).toBeTruthy();
  });
});

test('an address is scheme, host and port', () => {
  expect(originProblem('https://playbooks.example.org')).toBeUndefined();
  expect(originProblem('http://127.0.0.1:7700/')).toBeUndefined();
  expect(originProblem('playbooks.example.org')).toContain('scheme');
  expect(originProblem('ftp://example.org')).toContain('http');
  expect(originProblem('https://example.org/v1')).toContain('nothing after');
  expect(originProblem('https://ana:secret@example.org')).toContain('password');
});
