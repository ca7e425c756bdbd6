import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const files = new Set(listSourceFiles(root));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Cells of each row of the tables, without heads and rulers. */
function readRows(document: string): string[][] {
  return read(document)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/shown by \|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** First cells of the tables that fault runs wrote. */
const measured = new Set(readRows('docs/faults.md').map(([name = '']) => name));
const quotesOf = (cell: string) => [...cell.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
const testsOf = (cell: string) => [...cell.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file);

it('each failure mode names a test that exists, or a fault that was measured', () => {
  const rows = readRows('docs/failure-modes.md');
  expect(rows.length).toBeGreaterThan(40);
  const unshown = rows.filter((cells) => {
    const shown = cells.at(-1) ?? '';
    const [tests, faults] = [testsOf(shown), quotesOf(shown)];
    const areThere = tests.every((file) => files.has(file)) && faults.every((name) => measured.has(name));
    return !areThere || tests.length + faults.length === 0;
  });
  expect(unshown.map(([what, ...rest]) => `${what}: ${rest.at(-1)}`)).toEqual([]);
  // Otherwise a wrong row could not be told from a right one.
  expect(rows.filter((cells) => cells.length !== 5)).toEqual([]);
});

it('every fault that is measured stands among the failure modes', () => {
  const named = new Set(quotesOf(read('docs/failure-modes.md')));
  const faults = read('docs/faults.md').split('<!-- measured: faults -->')[1]?.split('<!-- end -->')[0] ?? '';
  const names = [...faults.matchAll(/^\| (?!broken|-)([^|]+) \|/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !named.has(name))).toEqual([
    // The same as restarts of the other two, and covered by the rows of their losses.
    'Redis restarted',
    'NATS restarted',
    'the network around the playback service cut',
  ]);
});

it('what the threat model says of attackers names only tests that exist', () => {
  const tests = testsOf(read('docs/threat-model.md'));
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter((file) => !files.has(file))).toEqual([]);
});
