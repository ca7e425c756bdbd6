import { expect, it } from 'vitest';
import { putFinding } from './finding.ts';

const finding = {
  part: 'kills',
  table: '| killed |\n|---|\n| $1 |\n',
  command: 'npm run x',
  cores: 4,
  code: null,
};
const place = '<!-- measured: kills -->\nold\n\n| older |\n<!-- end -->';
const other = '<!-- measured: rolling -->\nother\n<!-- end -->';

it('a finding replaces the earlier one, and the rest of the document stays unchanged', () => {
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

it('a finding without a place in a document is reported', () => {
  expect(() => putFinding(other, finding)).toThrow('no place');
});
