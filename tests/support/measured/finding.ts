import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';
import { listSourceFiles } from '../source-files.ts';
import { documents } from './documents.ts';
import { digestMeasuredCode } from './measured-code.ts';

/** The result of a measurement. */
export interface Finding {
  /** The name of its place in the document. */
  part: string;
  /** Markdown. */
  table: string;
  /** The command that was typed. */
  command: string;
  /** Cores of the machine that ran it. */
  cores: number;
  /** `digestMeasuredCode` of the code that was measured; null if it is not followed. */
  code: string | null;
}

/**
 * Replaces the text between `<!-- measured: part -->` and `<!-- end -->` in the document with this finding.
 *
 * @throws Error if the document has no such place
 */
export function putFinding(document: string, { part, table, command, cores, code }: Finding): string {
  const place = new RegExp(`(<!-- measured: ${part} -->\n)[^]*?(<!-- end -->)`);
  if (!place.test(document)) throw new Error(`The document has no place for the figures of ${part}.`);
  const digest = code === null ? '' : ` <!-- code: ${code} -->`;
  const said = `Measured by \`${command}\` on one machine with ${cores} cores.${digest}`;
  return document.replace(place, (_, before, after) => `${before}${said}\n\n${table.trim()}\n\n${after}`);
}

/**
 * Writes a finding into every document that has a place for it, and reports a finding without a place.
 *
 * @param script of package.json, as it is typed: `npm test`
 * @param args its arguments, such as `compose`
 */
export function writeFinding(part: string, table: string, script: string, args: readonly string[]): void {
  const command = [script, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  if (!documents[part]) process.stderr.write(`No document has a place for the figures of ${part}.\n`);
  const code = digestMeasuredCode(part, repositoryFolder, listSourceFiles(repositoryFolder));
  for (const file of documents[part] ?? []) {
    const path = join(repositoryFolder, file);
    const finding = { part, table, command, cores: cpus().length, code };
    writeFileSync(path, putFinding(readFileSync(path, 'utf8'), finding));
  }
}
