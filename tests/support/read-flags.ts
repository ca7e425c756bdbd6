import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Reads the flags of a command of this repository. `--help` shows the usage and ends the process. An unknown flag ends it
 * with a message and exit code 2.
 *
 * @param config as of `parseArgs`; `--help` is added to its options
 */
export function readFlags<const C extends ParseArgsConfig>(usage: string, config: C) {
  const options = { ...config.options, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const parsed = parseArgs<C>({ ...config, options });
    if (!(parsed.values as { help?: boolean }).help) return parsed;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n--help shows what is accepted\n`);
    process.exit(2);
  }
  process.stdout.write(usage);
  process.exit(0);
}
