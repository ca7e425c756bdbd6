/** What a part of a run has found. */
export interface Finding {
  part: string;
  /** Markdown. */
  table: string;
  /** What was typed, and the cores of the machine that ran all of it. */
  command: string;
  cores: number;
}

/** Where the table of each part stands, from the root of the repository. */
export const documents: Readonly<Record<string, readonly string[]>> = {
  revocation: ['bench/revocation.md'],
  faults: ['docs/faults.md', 'README.md'],
  rolling: ['docs/faults.md'],
  kills: ['docs/faults.md'],
  herd: ['docs/faults.md'],
};
/** Of the share of replicas that had refused, by time. */
export const plotFile = 'bench/revocation.svg';

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
