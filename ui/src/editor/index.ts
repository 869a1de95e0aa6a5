/** The editor's chunk: everything that needs CodeMirror comes through here, lazily. */
export { CodeEditor, type EditorHandle } from './code-editor';
export { CodeView } from './code-view';
export { Compare } from './compare';
export { Three } from './three';
