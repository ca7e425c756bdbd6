import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The anchor that Markdown viewers give a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

it('every link to a section of docs/contract.md leads to a heading of it', () => {
  const headings = [...read('docs/contract.md').matchAll(/^#{2,} (.*)$/gm)].map(([, text = '']) =>
    anchorOf(text),
  );
  const links = listSourceFiles(root)
    .filter((file) => /\.(md|ts|tsx|mjs|ya?ml)$/.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/contract\.md#([\w-]+)/g)].map(([, anchor = '']) => ({ file, anchor })),
    );
  expect(links.filter(({ anchor }) => !headings.includes(anchor))).toEqual([]);
  expect(links.length).toBeGreaterThan(0);
});
