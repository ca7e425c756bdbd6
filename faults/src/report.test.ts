import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { documents, putFinding } from './report.ts';

const finding = { part: 'kills', table: '| killed |\n|---|\n| $1 |\n', command: 'npm run x', cores: 4 };
const place = '<!-- measured: kills -->\nold\n\n| older |\n<!-- end -->';
const other = '<!-- measured: rolling -->\nother\n<!-- end -->';

it('a finding takes the place of the one before it, and nothing else changes', () => {
  expect(putFinding(`# Title\n\n${other}\n\n${place}\n\nAfter.\n`, finding)).toBe(`# Title

${other}

<!-- measured: kills -->
Measured by \`npm run x\` on one machine with 4 cores.

| killed |
|---|
| $1 |

<!-- end -->

After.
`);
});

it('a finding without a place is not lost in silence', () => {
  expect(() => putFinding(other, finding)).toThrow('no place');
});

it.each(Object.entries(documents).flatMap(([part, files]) => files.map((file) => [part, file])))(
  'what is measured of %s has a place in %s',
  (part = '', file = '') => {
    const document = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    expect(putFinding(document, { ...finding, part })).toContain(finding.table);
  },
);
