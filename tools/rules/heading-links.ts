import { posix } from 'node:path';

/** The anchor that Markdown viewers give a heading. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/** Whether the links of a file lead to documents that its tests make up. */
const isExample = (file: string) => /^tools\/(?:rules\/|site\/.*\.test\.)/.test(file);

/** Finds links to headings that do not exist, in documents and in comments. Returns a sentence for each. */
export function findDeadHeadings(files: readonly string[], read: (file: string) => string): string[] {
  const anchors = new Map(
    files
      .filter((file) => file.endsWith('.md'))
      .map((file) => [file, [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => anchorOf(text))]),
  );
  /**
   * The documents that a link can name: from the root or from the folder of the file that names it. The catalogue of metrics
   * becomes a document in `docs/reference`, so its links start there.
   */
  const documentsOf = (file: string, name: string) => [
    posix.join(posix.dirname(file), name),
    posix.normalize(name),
    posix.join('docs/reference', name),
  ];
  return files
    .filter((file) => /\.(md|ts|tsx|mjs|ya?ml)$/.test(file) && !isExample(file))
    .flatMap((file) =>
      [...read(file).matchAll(/(?:([\w./-]+\.md)|\]\()#([\w-]+)/g)]
        .filter(
          ([, name, anchor = '']) =>
            !(name === undefined ? [file] : documentsOf(file, name)).some((path) =>
              anchors.get(path)?.includes(anchor),
            ),
        )
        .map(([, name = '', anchor]) => `${file} links to ${name}#${anchor}, which does not exist`),
    );
}
