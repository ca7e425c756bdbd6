import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';
import { documents } from './documents.ts';

/** What a measurement has found. */
export interface Finding {
  /** The name of its place. */
  part: string;
  /** Markdown. */
  table: string;
  /** What was typed. */
  command: string;
  /** Of the machine that ran all of it. */
  cores: number;
}

/**
 * The document with this finding in place of what stood between `<!-- measured: part -->` and `<!-- end -->`.
 *
 * @throws Error where it has no such place
 */
export function putFinding(document: string, { part, table, command, cores }: Finding): string {
  const place = new RegExp(`(<!-- measured: ${part} -->\n)[^]*?(<!-- end -->)`);
  if (!place.test(document)) throw new Error(`There is no place for what was measured of ${part}.`);
  const said = `Measured by \`${command}\` on one machine with ${cores} cores.`;
  return document.replace(place, (_, before, after) => `${before}${said}\n\n${table.trim()}\n\n${after}`);
}

/**
 * Puts what this process has measured into every document that has a place for it, or says that none has.
 *
 * @param script of package.json
 * @param args what it was given
 */
export function writeFinding(part: string, table: string, script: string, args: readonly string[]): void {
  const command = [`npm run ${script}`, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  if (!documents[part]) process.stderr.write(`No document has a place for what was measured of ${part}.\n`);
  for (const file of documents[part] ?? []) {
    const path = join(repositoryFolder, file);
    const finding = { part, table, command, cores: availableParallelism() };
    writeFileSync(path, putFinding(readFileSync(path, 'utf8'), finding));
  }
}
