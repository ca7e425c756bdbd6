import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { singleNodeFlags } from './single-node-command.mjs';

const oldSpaceMib = 256;

test('npm start gives new objects 12 MiB, however large the machine is, and can return the memory of its start', () => {
  const report = '[require("node:v8").getHeapStatistics().heap_size_limit / 2 ** 20, typeof gc].join()';
  // The limit covers old objects and three semi-spaces.
  const flags = [`--max-old-space-size=${oldSpaceMib}`, ...singleNodeFlags];
  const found = execFileSync(process.execPath, [...flags, '-p', report], { encoding: 'utf8' });
  expect(found.trim()).toBe(`${oldSpaceMib + 12},function`);
});
