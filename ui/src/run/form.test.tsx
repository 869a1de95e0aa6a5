import { fireEvent, render, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import type { Issue, Json } from '../api/types';
import { SchemaForm, numberFrom } from './form';

const SCHEMA: Json = {
  type: 'object', required: ['campaign', 'brief'],
  properties: {
    campaign: { type: 'string', description: 'Which one' },
    brief: { type: 'object', required: ['goal'], properties: { goal: { type: 'string' }, budget: { type: 'number' } } },
    channels: { type: 'array', items: { enum: ['mail', 'web'] } },
    strict: { type: 'boolean' },
  },
};

let now: Json = null;

function Held({ schema = SCHEMA, first, issues = [] }: { schema?: Json; first: Json; issues?: Issue[] }) {
  const [value, setValue] = useState(first);
  now = value;
  return <SchemaForm schema={schema} value={value} onValue={setValue} issues={issues} />;
}

const type = (label: string, text: string) => fireEvent.change(screen.getByLabelText(label), { target: { value: text } });

describe('the form of a value', () => {
  test('a field changes its own key and keeps every other', () => {
    render(<Held first={{ campaign: 'a', brief: { goal: 'g', extra: [1, { deep: true }] }, more: 'kept' }} />);
    type('campaign', 'b');
    type('goal', 'h');
    expect(now).toEqual({ campaign: 'b', brief: { goal: 'h', extra: [1, { deep: true }] }, more: 'kept' });
    expect(screen.getByLabelText('more')).toBeTruthy();
  });

  test('an optional field is left out until it is given, and can be left out again', () => {
    render(<Held first={{ campaign: 'a', brief: { goal: 'g' } }} />);
    type('budget', '12');
    expect(now).toEqual({ campaign: 'a', brief: { goal: 'g', budget: 12 } });
    fireEvent.click(screen.getByRole('button', { name: 'Leave budget out' }));
    expect(now).toEqual({ campaign: 'a', brief: { goal: 'g' } });
    expect(screen.getByLabelText<HTMLSelectElement>('strict').value).toBe('');
    fireEvent.change(screen.getByLabelText('strict'), { target: { value: '1' } });
    expect(now).toMatchObject({ strict: false });
  });

  test('a number is typed digit by digit, and what is none stays as text and is said', () => {
    render(<Held first={{ campaign: 'a', brief: { goal: 'g' } }} />);
    for (const typed of ['1', '1.', '1.0', '1.05']) type('budget', typed);
    expect(now).toMatchObject({ brief: { budget: 1.05 } });
    type('budget', 'twelve');
    expect(now).toMatchObject({ brief: { budget: 'twelve' } });
    expect(screen.getByText(/Not a number/)).toBeTruthy();
    type('budget', '1.0');
    expect(screen.getByLabelText<HTMLInputElement>('budget').value).toBe('1.0');
    expect(now).toMatchObject({ brief: { budget: 1 } });
  });

  test('items come and go', () => {
    render(<Held first={{ campaign: 'a', brief: { goal: 'g' } }} />);
    fireEvent.click(screen.getByRole('button', { name: 'Give channels' }));
    const list = screen.getByRole('group', { name: 'channels' });
    fireEvent.click(within(list).getByRole('button', { name: 'Add an item' }));
    fireEvent.click(within(list).getByRole('button', { name: 'Add an item' }));
    fireEvent.change(within(list).getByLabelText('2'), { target: { value: '1' } });
    expect(now).toMatchObject({ channels: ['mail', 'web'] });
    fireEvent.click(within(list).getByRole('button', { name: 'Leave 1 out' }));
    expect(now).toMatchObject({ channels: ['web'] });
  });

  test('an issue stands at its field', () => {
    render(<Held first={{ campaign: 'a', brief: { goal: 'g' } }} issues={[{ pointer: '/brief', detail: 'Must have the property goal.' }, { pointer: '/campaign', detail: 'Too short.' }]} />);
    expect(within(screen.getByRole('group', { name: 'brief' })).getByText('Must have the property goal.')).toBeTruthy();
    expect(screen.getByText('Too short.')).toBeTruthy();
  });

  test('a value of another kind than the schema is shown as JSON and not bent', () => {
    render(<Held first={{ campaign: { not: 'text' }, brief: { goal: 'g' } }} />);
    expect(screen.getByLabelText<HTMLTextAreaElement>('campaign').value).toContain('"not": "text"');
    type('campaign', '{"broken":');
    expect(now).toMatchObject({ campaign: { not: 'text' } });
    expect(screen.getByText(/The last value that could be read is kept/)).toBeTruthy();
  });

  test('a member named __proto__ is a member', () => {
    render(<Held schema={{ type: 'object', additionalProperties: { type: 'string' } }} first={{}} />);
    fireEvent.change(screen.getByLabelText('Name of a member to add'), { target: { value: '__proto__' } });
    fireEvent.click(screen.getByRole('button', { name: 'Add' }));
    type('__proto__', 'x');
    expect(JSON.stringify(now)).toBe('{"__proto__":"x"}');
  });
});

test('what JSON does not take as a number stays text', () => {
  expect(['1', '-0.5', '1e3', '01', '1.', '0x10', '1e999', ' 1', ''].map(numberFrom)).toEqual([1, -0.5, 1000, '01', '1.', '0x10', '1e999', ' 1', undefined]);
});
