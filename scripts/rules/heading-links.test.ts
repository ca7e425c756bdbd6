import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const files = listSourceFiles(root);

/** The anchor that Markdown viewers give a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/**
 * The document that a link names, from the root or from the folder of the file that names it. The catalogue of metrics becomes a
 * document in `docs`, so its links start there.
 */
const documentOf = (file: string, name: string) =>
  [posix.join(posix.dirname(file), name), posix.normalize(name), posix.join('docs', name)].find((path) =>
    files.includes(path),
  );

it('every link to a heading leads to an existing heading, in documents and in comments', () => {
  const links = files
    .filter((file) => /\.(md|ts|tsx|mjs|ya?ml)$/.test(file) && !file.startsWith('scripts/rules/'))
    .flatMap((file) =>
      [...read(file).matchAll(/(?:([\w./-]+\.md)|\]\()#([\w-]+)/g)].map(([, name, anchor = '']) => ({
        file,
        document: name === undefined ? file : documentOf(file, name),
        anchor,
      })),
    );
  const dead = links.filter(({ document, anchor }) => {
    if (!document) return true;
    return ![...read(document).matchAll(/^#+ (.*)$/gm)].some(([, text = '']) => anchorOf(text) === anchor);
  });
  expect(dead).toEqual([]);
  expect(links.length).toBeGreaterThan(0);
});
