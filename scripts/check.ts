// `npm run check`: everything that can be said of the code without a reader. Every step runs, whatever came before it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '@latchkey/rig/read-flags';
import { runCommand } from '@latchkey/rig/run-command';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { runTests } from '@latchkey/rig/test-run/run-tests';
import { findDeadReferences } from './rules/document-references.ts';
import { findWrongImports } from './rules/import-directions.ts';

const usage = `npm run check: types, lint, import directions, what documents refer to, and the tests

  npm run check                  all of it
  npm run check -- --no-tests    all but the tests
`;
const { values: flags } = readFlags(usage, { options: { 'no-tests': { type: 'boolean' } } });

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');
const files = listSourceFiles(root);

/** Shows what was found and gives the exit code that stands for it. */
function report(complaints: readonly string[]): number {
  for (const complaint of complaints) console.log(complaint);
  return complaints.length === 0 ? 0 : 1;
}

function judge(ending: RegExp, rule: (file: string, text: string) => string[]): number {
  const judged = files.filter((file) => ending.test(file));
  return report(judged.flatMap((file) => rule(file, readFileSync(join(root, file), 'utf8'))));
}

const steps: [name: string, run: () => number | Promise<number>][] = [
  ['types', () => runCommand(join(bin, 'tsc'), ['--noEmit', '-p', root])],
  // What runs in a browser knows its types, and the server does not.
  ['types of the dashboard', () => runCommand(join(bin, 'tsc'), ['--noEmit', '-p', join(root, 'admin')])],
  [
    'types of the browser packages',
    () => runCommand(join(bin, 'tsc'), ['--noEmit', '-p', join(root, 'sdk')]),
  ],
  ['lint and format', () => runCommand(join(bin, 'biome'), ['ci', root])],
  ['import directions', () => judge(/\.(m?ts|tsx|mjs)$/, findWrongImports)],
  ['documents', () => judge(/\.md$/, (file, text) => findDeadReferences(file, text, files))],
];

const failed: string[] = [];
for (const [name, run] of steps) {
  const startMs = performance.now();
  const ok = (await run()) === 0;
  if (!ok) failed.push(name);
  console.log(`${ok ? '✓' : '✗'} ${name} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
}
if (failed.length > 0) console.log(`failed before the tests: ${failed.join(', ')}`);
const tests = flags['no-tests'] ? 0 : await runTests([], process.env);
process.exitCode = failed.length > 0 ? 1 : tests;
