/** Completion and hover of a document: keys of the format by place, and the fields of an event. */

import { autocompletion, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import type { Extension, Text } from '@codemirror/state';
import { hoverTooltip, keymap } from '@codemirror/view';
import { workflowCompletions, workflowHover, type Named } from './assist-workflow';
import { EVENT_FIELDS, EVENT_TYPES, keysAt, pathTo } from './format';

/** The lines of the front matter; null for a place outside it. */
function frontMatter(doc: Text, line: number): string[] | null {
  if (line < 2 || doc.line(1).text.trimEnd() !== '---') return null;
  const lines: string[] = [];
  for (let at = 1; at < line; at += 1) {
    const text = doc.line(at).text;
    if (at > 1 && text.trimEnd() === '---') return null;
    lines.push(at === 1 ? '' : text);
  }
  return lines;
}

function completionsOf(type: string) {
  return (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const above = frontMatter(context.state.doc, line.number);
    if (above === null) return type === 'recall' ? eventFields(context) : null;
    const value = /^\s*(?:- +)?type:\s+([\w.]*)$/.exec(before);
    if (value && type === 'recall') {
      const path = pathTo([...above, before], line.number - 1, before.search(/\S/));
      if (path.at(-1) === '-' || path.includes('events')) return options(context.pos - (value[1] ?? '').length, EVENT_TYPES);
    }
    const key = /^(\s*(?:- +)?)([$\w]*)$/.exec(before);
    if (!key || (!context.explicit && key[2] === '')) return null;
    const keys = keysAt(type, pathTo([...above, before], line.number - 1, (key[1] ?? '').length));
    if (keys === null) return null;
    const indent = ' '.repeat((key[1] ?? '').length);
    return {
      from: context.pos - (key[2] ?? '').length,
      options: Object.entries(keys).map(([label, { says, writes }]): Completion => ({ label, info: says, type: 'property', apply: (writes ?? `${label}: `).replaceAll('\n', `\n${indent}`) })),
      validFor: /^[$\w]*$/,
    };
  };
}

const options = (from: number, given: Readonly<Record<string, string>>): CompletionResult => ({
  from, options: Object.entries(given).map(([label, info]) => ({ label, info, type: 'constant' })), validFor: /^[\w.]*$/,
});

function eventFields(context: CompletionContext): CompletionResult | null {
  const found = context.matchBefore(/\bevent\.\w*/);
  if (!found) return null;
  return { from: found.from + 'event.'.length, options: Object.entries(EVENT_FIELDS).map(([label, detail]) => ({ label, detail, type: 'property' })), validFor: /^\w*$/ };
}

function hoverOf(type: string) {
  return hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    const above = frontMatter(view.state.doc, line.number);
    const found = /^(\s*(?:- +)?)([$\w]+)\s*:/.exec(line.text);
    if (above === null || !found) return null;
    const start = line.from + (found[1] ?? '').length;
    const name = found[2] ?? '';
    if (pos < start || pos > start + name.length) return null;
    const keys = keysAt(type, pathTo([...above, line.text], line.number - 1, (found[1] ?? '').length));
    const says = keys !== null && Object.hasOwn(keys, name) ? keys[name]?.says : undefined;
    if (says === undefined) return null;
    return {
      pos: start, end: start + name.length, above: true,
      create() {
        const dom = document.createElement('div');
        dom.className = 'cm-says';
        dom.textContent = says;
        return { dom };
      },
    };
  });
}

export type { Named };

/** What helps with a document of this type; nothing for a type without a table. */
export function assist(type: string, definitions: () => readonly Named[] = () => []): Extension {
  if (type === 'workflow') {
    return [autocompletion({ override: [workflowCompletions(definitions)], icons: false, maxRenderedOptions: 60 }), keymap.of(completionKeymap), hoverTooltip((view, pos) => workflowHover(view.state.doc, pos))];
  }
  if (type !== 'recall' && type !== 'computation' && type !== 'interaction') return [];
  return [autocompletion({ override: [completionsOf(type)], icons: false, maxRenderedOptions: 60 }), keymap.of(completionKeymap), hoverOf(type)];
}
