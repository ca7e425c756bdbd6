import { posix } from 'node:path';

/** A name with one of these endings is a file, even without a folder before it. */
const fileName = /^[\w@.-]+\.(md|ts|tsx|mjs|json|ya?ml|sh)$/;
const path = /^\.{0,2}[\w@.-]*(\/[\w@.-]+)+\/?$/;

/**
 * Finds links and paths in backticks whose target does not exist. Returns a sentence for each.
 *
 * @param document path of the Markdown file from the root of the repository
 * @param text its text
 * @param files every file of the repository
 */
export function findDeadReferences(document: string, text: string, files: readonly string[]): string[] {
  const prose = text.replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, '');
  const links = [...prose.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g)]
    .map((match) => (match[1] ?? '').replace(/[#?].*$/, ''))
    .filter((target) => target !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(target))
    .filter((target) => !isThere(posix.join(posix.dirname(document), decodeURI(target)), files));
  const names = [...prose.matchAll(/`([^`\n]+)`/g)]
    .map((match) => (match[1] ?? '').replace(/:[0-9]+(-[0-9]+)?$/, ''))
    .filter((name) => meansFile(name, files) && !isNamed(name, document, files));
  return [...new Set([...links, ...names])].map((name) => `${document} names ${name}, which does not exist`);
}

/** Whether a text in backticks looks like a path of this repository: a file name, or a path into one of its folders. */
function meansFile(name: string, files: readonly string[]): boolean {
  if (fileName.test(name)) return true;
  if (!path.test(name) || name.startsWith('/')) return false;
  const first = name.replace(/^(\.\/)+/, '').split('/')[0] ?? '';
  return first.startsWith('..') || files.some((file) => file.startsWith(`${first}/`));
}

/** Whether a name is a path from the root or from the document's folder, or the end of a path: `routes/get-key.ts`. */
function isNamed(name: string, document: string, files: readonly string[]): boolean {
  const plain = posix.normalize(name);
  if (isThere(plain, files) || isThere(posix.join(posix.dirname(document), name), files)) return true;
  const end = `/${plain.replace(/\/$/, '')}`;
  return files.some((file) => file.endsWith(end) || file.includes(`${end}/`));
}

/** Whether it is a file, or a folder with files in it. */
function isThere(target: string, files: readonly string[]): boolean {
  const plain = posix.normalize(target).replace(/\/$/, '');
  return plain === '.' || files.some((file) => file === plain || file.startsWith(`${plain}/`));
}
