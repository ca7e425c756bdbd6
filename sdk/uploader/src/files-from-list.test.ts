import { expect, it } from 'vitest';
import { filesFromList } from './index.ts';

const picked = (name: string, webkitRelativePath?: string) =>
  Object.assign(new File(['x'], name), webkitRelativePath === undefined ? {} : { webkitRelativePath });

it('a picked folder gives its files by their paths in it, a picked file its name, and hidden files are left out', () => {
  const list = [picked('a.ts', 'film/720p/a.ts'), picked('b.ts', ''), picked('.DS_Store', 'film/.DS_Store')];
  expect(filesFromList(list).map(({ path }) => path)).toEqual(['720p/a.ts', 'b.ts']);
  expect(filesFromList({ length: 1, 0: picked('c.ts') })[0]).toMatchObject({
    path: 'c.ts',
    data: expect.any(File),
  });
});
