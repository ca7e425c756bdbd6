import { expect, it } from 'vitest';
import { createProgress, type UploadProgress } from './upload-progress.ts';

const files = [
  { path: 'a', size: 10 },
  { path: 'b', size: 30 },
];

it('no number of the progress decreases when a file is sent again, or exceeds the size', () => {
  const reports: UploadProgress[] = [];
  const progressOf = createProgress(files, (progress) => reports.push(progress));
  const a = progressOf(0);
  const b = progressOf(1);
  for (const bytes of [4, 8, 2, 8, 9]) a.sent(bytes);
  b.sent(31);
  a.done();
  b.done();
  expect(
    reports.map(({ path, fileLoadedBytes, loadedBytes, filesDone }) => [
      path,
      fileLoadedBytes,
      loadedBytes,
      filesDone,
    ]),
  ).toEqual([
    ['a', 4, 4, 0],
    ['a', 8, 8, 0],
    ['a', 9, 9, 0],
    ['b', 30, 39, 0],
    ['a', 10, 40, 1],
    ['b', 30, 40, 2],
  ]);
  expect(reports[0]).toMatchObject({ fileTotalBytes: 10, totalBytes: 40, filesTotal: 2 });
});
