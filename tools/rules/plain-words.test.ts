import { expect, it } from 'vitest';
import { findDialect } from './plain-words.ts';

it.each([
  ['/** What a viewer gets. */', '/** What'],
  ['where it fails, the answer is 503', 'where it'],
  ['the keys and those of others', 'those of'],
  ['the line says what failed', 'says what'],
  ['runs beside a server', 'beside'],
  ["description: 'Left out: now.'", 'Left out:'],
  ['a row stands for several', 'stands for'],
  ['so many as fit', 'so many'],
  ['whoever asks', 'whoever'],
])('a line with a phrase that a reader must decode is found: %s', (line, phrase) => {
  const [fault = ''] = findDialect('docs/page.md', `One line.\n${line}\n`);
  expect(fault).toContain(`docs/page.md:2: "${phrase}": write `);
});

it('plain lines and generated files have no fault', () => {
  expect(findDialect('docs/page.md', 'The server drops the entry if the read fails.\n')).toEqual([]);
  expect(findDialect('admin/src/api/schema.ts', '/** What a viewer gets. */')).toEqual([]);
});
