import { parseArgs } from 'node:util';
import { UsageError } from '../src/usage-error.ts';

/** The options of the command line. */
export interface DemoOptions {
  readonly help: boolean;
  /** Port of the page; the key server gets the next one. 0: free ports for both. */
  readonly port: number;
  /** Length of the video. */
  readonly seconds: number;
  /** Check whether everything answers, and end. */
  readonly check: boolean;
}

const defaultPort = 4180;
const defaultSeconds = 60;
/** Two key periods at least. For ten minutes ffmpeg takes some two minutes. */
const leastSeconds = 20;
const mostSeconds = 600;
/** The next port must exist too. */
const mostPort = 65_534;

export const usage = `The demonstration: makes a video, encrypts it with keys of a Latchkey server, and plays it in a page.

  npm run demo                    then open the address that it prints; Ctrl-C stops everything
  npm run demo -- --seconds 120   a longer video (${leastSeconds} to ${mostSeconds}, default ${defaultSeconds})
  npm run demo -- --port 8000     port of the page; the key server gets the next one (default ${defaultPort}; 0: free ones)
  npm run demo -- --check         makes everything, checks the answers, prints "demo: ok" and ends
  npm run demo -- --help          shows this

It needs ffmpeg. Set FFMPEG_PATH if it is not on the PATH. Its files are kept in .cache/demo. You may delete that folder
while no demo runs.
`;

/** @throws UsageError */
export function readOptions(args: readonly string[]): DemoOptions {
  const values = parse(args);
  return {
    help: values.help ?? false,
    check: values.check ?? false,
    port: readInteger('--port', values.port, defaultPort, 0, mostPort),
    seconds: readInteger('--seconds', values.seconds, defaultSeconds, leastSeconds, mostSeconds),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        check: { type: 'boolean' },
        port: { type: 'string' },
        seconds: { type: 'string' },
      },
    }).values;
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

function readInteger(
  name: string,
  text: string | undefined,
  preset: number,
  least: number,
  most: number,
): number {
  if (text === undefined) return preset;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${name} "${text}"; accepted: a whole number from ${least} to ${most}`);
}
