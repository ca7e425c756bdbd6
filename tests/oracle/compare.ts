import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';

const recorded = join(import.meta.dirname, 'recorded');
/** Where a run leaves its own texts, for a look at the whole. */
const actual = join(repositoryFolder, '.cache/oracle');
const shownLines = 300;

/** The files of the oracle, as paths within its folder. */
export function listRecorded(): string[] {
  return readdirSync(recorded, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(recorded, join(entry.parentPath, entry.name)));
}

/** Replaces the oracle by these texts. */
export function writeRecorded(texts: ReadonlyMap<string, string>): void {
  rmSync(recorded, { recursive: true, force: true });
  for (const [file, text] of texts) write(join(recorded, file), text);
}

/** @returns null if the text is as recorded, else the difference as a unified diff and the command that records it */
export function compareWithRecorded(file: string, text: string): string | null {
  const path = join(recorded, file);
  if (listRecorded().includes(file) && readFileSync(path, 'utf8') === text) return null;
  write(join(actual, file), text);
  const args = ['diff', '--no-index', '--no-color', '--unified=4', path, join(actual, file)];
  const lines = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
    .stdout.split('\n')
    .slice(4);
  const more = lines.length > shownLines ? `… and ${lines.length - shownLines} lines more\n` : '';
  const diff = lines.slice(0, shownLines).join('\n');
  return `tests/oracle/recorded/${file} (-) differs from this build (+), which is in .cache/oracle:\n${diff}\n${more}
If this is meant: npm test -- oracle --record, and say why in CHANGELOG.md.`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
