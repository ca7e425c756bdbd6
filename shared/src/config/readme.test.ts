import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { singleNodeSettings } from './single-node.ts';

test('the README’s table of configuration names every variable that is read, and no other', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const section = readme.split('## Configuration')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z][A-Z0-9_]+/g) ?? []);
  const read = Object.values(singleNodeSettings)
    .flatMap(({ descriptions }) => descriptions)
    // A family of names is written with its first member.
    .map(({ name }) => name.split(',')[0]);
  expect([...documented].sort()).toEqual([...read].sort());
});
