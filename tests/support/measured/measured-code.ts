import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders and files whose code a measurement measures, from the root of the repository. Other measurements are not followed. */
export const measuredCode: Readonly<Record<string, readonly string[]>> = {
  servers: requestFolders(),
  gateway: requestFolders(),
};

/** The folders of the code that a key request runs through, and of the code that measures it. */
function requestFolders(): string[] {
  const shared = [
    'auth',
    'authority',
    'derivation',
    'http',
    'log',
    'memory',
    'metrics',
    'net',
    'statistics',
    'upstream',
  ];
  const bench = ['keys', 'peers', 'load.ts'].map((name) => `tests/bench/${name}`);
  const folders = shared.map((name) => `shared/src/${name}`);
  return ['gateway/src', 'services/key-derivation/src', ...folders, ...bench];
}

const code = /\.(ts|js)$/;
const test = /\.(test|fixture)\.ts$/;
/** A whole line of a comment. The compiler drops it, so it makes no figure older. */
const commentLine = /^\s*(\/\/|\/?\*)/;
/** Enough to distinguish states of one repository. */
const digestLetters = 12;

/**
 * A digest of the code that a measurement measures, without tests, comments and blank lines. It is next to the figures, so that figures
 * that are older than the code can be found without running anything.
 *
 * @param files all source files, from the root of the repository
 * @returns null for a measurement that is not followed
 */
export function digestMeasuredCode(part: string, root: string, files: readonly string[]): string | null {
  const places = measuredCode[part];
  if (!places) return null;
  const hash = createHash('sha256');
  const isMeasured = (file: string) => places.some((place) => file === place || file.startsWith(`${place}/`));
  for (const file of [...files].sort()) {
    if (!isMeasured(file) || !code.test(file) || test.test(file)) continue;
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    const kept = lines.filter((line) => line.trim() !== '' && !commentLine.test(line));
    hash.update(`${file}\n${kept.join('\n')}\n`);
  }
  return hash.digest('hex').slice(0, digestLetters);
}

/**
 * The figures of a document that are older than the code that they measure, as sentences that name the command.
 *
 * @param digestOf the digest of the code as it is now; null for a measurement that is not followed
 */
export function findOldFigures(
  file: string,
  text: string,
  digestOf: (part: string) => string | null,
): string[] {
  const places = text.matchAll(/<!-- measured: (\S+) -->\nMeasured by `([^`]+)`(.*)\n/g);
  return [...places].flatMap(([, part = '', command = '', rest = '']) => {
    const digest = digestOf(part);
    const written = /<!-- code: (\w+) -->/.exec(rest)?.[1];
    if (digest === null || digest === written) return [];
    return [`${file}: the figures of ${part} are older than the code that they measure. Run: ${command}`];
  });
}
