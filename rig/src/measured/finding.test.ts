import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFolder } from '../repository.ts';
import { listSourceFiles } from '../source-files.ts';
import { documents } from './documents.ts';
import { putFinding } from './finding.ts';

const read = (file: string) => readFileSync(join(repositoryFolder, file), 'utf8');

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

it.each(Object.entries(documents).flatMap(([part, files]) => files.map((file) => [part, file])))(
  'the figures of %s have a place in %s',
  (part = '', file = '') => {
    expect(putFinding(read(file), { ...finding, part })).toContain(finding.table);
  },
);

it('every place in a document is filled, by a command that package.json has', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const places = listSourceFiles(repositoryFolder)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/<!-- measured: (\S+) -->\n(.*)\n/g)].map(([, part = '', said = '']) => {
        const script = /^Measured by `npm run (\S+)( .*)?` on one machine/.exec(said)?.[1] ?? '';
        return { file, part, isFilled: script in scripts, isKnown: documents[part]?.includes(file) };
      }),
    );
  expect(places.filter(({ isFilled, isKnown }) => !isFilled || !isKnown)).toEqual([]);
  expect(places).toHaveLength(Object.values(documents).flat().length);
});
