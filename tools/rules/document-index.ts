import { posix } from 'node:path';

const index = 'docs/README.md';

/** Finds documents that are more than two links away from the index, and so more than three from the README. Returns a sentence for each. */
export function findUnlistedPages(files: readonly string[], read: (file: string) => string): string[] {
  const pages = files.filter((file) => file.endsWith('.md'));
  const linksOf = (page: string): string[] =>
    [...read(page).matchAll(/\]\(([^)#\s]+\.md)/g)]
      .map(([, target = '']) => posix.join(posix.dirname(page), target))
      .filter((target) => pages.includes(target));
  const listed = linksOf(index);
  const near = new Set([index, ...listed, ...listed.flatMap(linksOf)]);
  return pages
    .filter((page) => !near.has(page))
    .map((page) => `no link leads to ${page} from ${index} or from a page that it lists`);
}
