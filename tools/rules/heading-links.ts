import { posix } from 'node:path';

/** The anchor that Markdown viewers give a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/** Finds links to headings that do not exist, in documents and in comments. Returns a sentence for each. */
export function findDeadHeadings(files: readonly string[], read: (file: string) => string): string[] {
  const anchors = new Map(
    files
      .filter((file) => file.endsWith('.md'))
      .map((file) => [file, [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => anchorOf(text))]),
  );
  /**
   * The document that a link names, from the root or from the folder of the file that names it. The catalogue of metrics
   * becomes a document in `docs`, so its links start there.
   */
  const documentOf = (file: string, name: string) =>
    [posix.join(posix.dirname(file), name), posix.normalize(name), posix.join('docs', name)].find((path) =>
      anchors.has(path),
    ) ?? '';
  return files
    .filter((file) => /\.(md|ts|tsx|mjs|ya?ml)$/.test(file) && !file.startsWith('tools/rules/'))
    .flatMap((file) =>
      [...read(file).matchAll(/(?:([\w./-]+\.md)|\]\()#([\w-]+)/g)]
        .filter(
          ([, name, anchor = '']) =>
            !anchors.get(name === undefined ? file : documentOf(file, name))?.includes(anchor),
        )
        .map(([, name = '', anchor]) => `${file} links to ${name}#${anchor}, which does not exist`),
    );
}
