import { parseArgs } from 'node:util';

/**
 * Answers `--help` and `--version`, which need no configuration.
 *
 * @param about the text that each prints
 * @returns whether one of them was given: the process then ends
 * @throws Error for any other argument, as `parseArgs` does
 */
export function answerFlags(
  process: NodeJS.Process,
  about: { version: string; help: () => string },
): boolean {
  const { values: flags } = parseArgs({
    args: process.argv.slice(2),
    options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'V' } },
  });
  if (flags.help) process.stdout.write(about.help());
  else if (flags.version) process.stdout.write(`${about.version}\n`);
  return Boolean(flags.help || flags.version);
}
