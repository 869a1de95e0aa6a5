/** What every editor of the Studio has: language, looks, keys. Must not know documents or problems. */

import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml';
import { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, rectangularSelection } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export type Language = 'typescript-document' | 'markdown-document' | 'yaml' | 'typescript' | 'json' | 'plain';


export function languageSupport(language: Language): Extension {
  switch (language) {
    case 'typescript-document': return yamlFrontmatter({ content: javascript({ typescript: true }) });
    case 'markdown-document': return yamlFrontmatter({ content: markdown() });
    case 'yaml': return yaml();
    case 'typescript': return javascript({ typescript: true });
    case 'json': return json();
    case 'plain': return [];
  }
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword, tags.moduleKeyword, tags.modifier], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.character], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--code-type)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.function(tags.propertyName)], color: 'var(--code-name)' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--code-property)' },
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.heading], fontWeight: '600' },
  { tag: [tags.emphasis], fontStyle: 'italic' },
  { tag: [tags.strong], fontWeight: '600' },
]);

const looks = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--canvas)', color: 'var(--text)', fontSize: 'var(--size-code)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '8px 0 40px', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 14px 0 6px' },
  '.cm-gutters': { backgroundColor: 'var(--canvas)', color: 'var(--muted)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 2px 0 4px', minWidth: '26px', fontVariantNumeric: 'tabular-nums' },
  '.cm-foldGutter .cm-gutterElement': { color: 'var(--control)', padding: '0 4px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--hover) 55%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'color-mix(in oklab, var(--accent) 24%, transparent)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'transparent', outline: '1px solid var(--control)', borderRadius: '2px' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in oklab, var(--warn) 20%, transparent)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--hover)', border: '1px solid var(--line-firm)', color: 'var(--muted)', padding: '0 5px' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-firm)', borderRadius: '6px', boxShadow: 'var(--shadow)', maxWidth: '560px' },
  '.cm-tooltip-lint': { padding: '2px 0' },
  '.cm-diagnostic': { padding: '6px 12px', borderLeft: '3px solid var(--bad)', fontFamily: 'var(--sans)', fontSize: 'var(--size)', lineHeight: '1.4' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--accent-firm)', color: 'var(--accent-text)', borderRadius: '4px', padding: '2px 8px', font: 'inherit', fontSize: 'var(--size-small)', margin: '6px 6px 0 0' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn) 1px', textUnderlineOffset: '3px' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0', display: 'grid', placeItems: 'center' },
  '.cm-lint-marker': { width: '8px', height: '8px', content: '""' },
  '.cm-lint-marker-error': { backgroundColor: 'var(--bad)', borderRadius: '50%', content: '""' },
  '.cm-lint-marker-warning': { backgroundColor: 'var(--warn)', borderRadius: '2px', transform: 'rotate(45deg)', content: '""' },
  '.cm-panels': { backgroundColor: 'var(--side)', color: 'var(--text)', fontFamily: 'var(--sans)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 10px', fontSize: 'var(--size-small)' },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)' },
  '.cm-textfield': { backgroundColor: 'var(--canvas)', border: '1px solid var(--control)', borderRadius: '4px', padding: '2px 6px', fontSize: 'inherit' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--raised)', border: '1px solid var(--line-firm)', borderRadius: '4px', padding: '2px 8px', fontSize: 'inherit' },
  '.cm-says': { padding: '6px 10px', fontFamily: 'var(--sans)', fontSize: 'var(--size)', maxWidth: '46ch' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: 'var(--size-code)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '10px' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 10px', fontFamily: 'var(--sans)', fontSize: 'var(--size)', maxWidth: '40ch' },
  '.cm-litLine': { backgroundColor: 'var(--bad-soft)' },
});

/** Read-only text keeps keys for reading: search, folding, selection. */
export function basics(language: Language, wraps: 'wraps' | 'scrolls' = 'scrolls'): Extension[] {
  return [
    languageSupport(language), looks, syntaxHighlighting(colours), highlightSpecialChars(), drawSelection(), bracketMatching(),
    // Focusable by nature; said for readers and checkers that do not know.
    EditorView.contentAttributes.of({ tabindex: '0' }),
    search(), wraps === 'wraps' ? EditorView.lineWrapping : [], keymap.of([...searchKeymap, ...foldKeymap]),
    EditorState.tabSize.of(2), indentUnit.of('  '),
  ];
}

/** Taken from the editor because the Studio's own commands use them. */
const OURS = new Set(['Mod-Enter', 'Mod-.', 'Alt-ArrowLeft', 'Alt-ArrowRight', 'F8', 'Shift-F8', 'Mod-i', 'Mod-Alt-i']);

export function editing(language: Language): Extension[] {
  return [
    lineNumbers(), foldGutter({ openText: '⌄', closedText: '›' }), highlightActiveLine(), highlightActiveLineGutter(), rectangularSelection(),
    history(), indentOnInput(), closeBrackets(), highlightSelectionMatches(),
    keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap.filter((key) => !OURS.has(key.key ?? '')), indentWithTab]),
    ...basics(language),
  ];
}

export function reading(language: Language, wraps: 'wraps' | 'scrolls' = 'scrolls'): Extension[] {
  return [EditorState.readOnly.of(true), EditorView.editable.of(true), foldGutter({ openText: '⌄', closedText: '›' }), ...basics(language, wraps), keymap.of(defaultKeymap.filter((key) => !OURS.has(key.key ?? '')))];
}
