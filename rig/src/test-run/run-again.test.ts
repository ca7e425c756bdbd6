import { expect, it } from 'vitest';
import { findFilesToRunAgain, mergeRuns } from './run-again.ts';

const counts = (file: string, passed: number, failed = 0) => ({ file, passed, failed, skipped: [] });

it('runs the files with a failure again, and no other', () => {
  const files = [counts('a', 3), counts('b', 3, 1), counts('c', 0, 1)];
  expect(findFilesToRunAgain({ files, errors: 0 })).toEqual(['b', 'c']);
});

it.each([
  ['more than five files failed', ['a', 'b', 'c', 'd', 'e', 'f'].map((file) => counts(file, 1, 1)), 0],
  ['something failed outside every file', [counts('a', 1, 1)], 1],
])('runs nothing again where %s', (_name, files, errors) => {
  expect(findFilesToRunAgain({ files, errors })).toEqual([]);
});

it('counts a file as it ended the second time, passed or failed', () => {
  const first = { files: [counts('a', 3), counts('b', 3, 2), counts('c', 0, 1)], errors: 0 };
  const second = { files: [counts('b', 5), counts('c', 1, 1)], errors: 0 };
  expect(mergeRuns(first, ['b', 'c'], second)).toEqual({
    files: [counts('a', 3), counts('b', 5), counts('c', 1, 1)],
    errors: 0,
  });
});

it('a file that did not run again has failed, and so has an error outside it', () => {
  const first = { files: [counts('a', 3, 1)], errors: 0 };
  expect(mergeRuns(first, ['a'], { files: [], errors: 1 })).toEqual({
    files: [counts('a', 3, 1)],
    errors: 1,
  });
});
