import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { separateServiceSettings } from './separate-services.ts';
import { singleNodeSettings } from './single-node.ts';

const document = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

test.each([
  ['Variables', singleNodeSettings],
  ['Separate services', separateServiceSettings],
])(
  'docs/configuration.md names below "%s" every variable that is read, and no other',
  (heading, settings) => {
    const section = document.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const documented = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z][A-Z0-9_]+/g) ?? []);
    const read = Object.values(settings)
      .flatMap(({ descriptions }) => descriptions)
      // A family of names is written with its first member.
      .map(({ name }) => name.split(',')[0]);
    expect([...documented].sort()).toEqual([...read].sort());
  },
);
