// Folds events in quickjs-emscripten, the view crossing as text before and after each fold, as the original does it.
// Given the path of a JSON file with `program`, `view` and `events`; prints the microseconds of a fold.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { getQuickJS } from 'quickjs-emscripten';

const { program, view, events } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const engine = await getQuickJS();
const runtime = engine.newRuntime();
runtime.setMemoryLimit(64 * 1024 * 1024);
runtime.setMaxStackSize(1024 * 1024);
const context = runtime.newContext();
const fold = context.unwrapResult(context.evalCode(`(() => {
${program.replaceAll('export function', 'function')}
return (view, event) => JSON.stringify(fold(JSON.parse(view), JSON.parse(event)));
})()`));

let text = view;
const begun = performance.now();
for (const event of events) {
  const given = [context.newString(text), context.newString(event)];
  const result = context.unwrapResult(context.callFunction(fold, context.undefined, ...given));
  text = context.getString(result);
  result.dispose();
  given.forEach((one) => one.dispose());
}
const took = performance.now() - begun;
process.stdout.write(JSON.stringify({ microseconds: (took * 1000) / events.length, view: text }));
