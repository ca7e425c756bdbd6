import { provideTool } from '../../scripts/provide-tool.ts';
import { createCleanUps } from './clean-ups.ts';
import { readOptions, UsageError, usage } from './demo-options.ts';
import { runDemo } from './run-demo.ts';

/** A terminal's Ctrl-C can arrive twice, from the terminal and from npm; a person's second one comes later than this. */
const echoMs = 500;

const interruption = new AbortController();
const { signal } = interruption;
const cleanUps = createCleanUps((error) => console.error(error));
let interruptedAtMs: number | undefined;

function interrupt(): void {
  if (interruptedAtMs === undefined) interruptedAtMs = performance.now();
  else if (performance.now() - interruptedAtMs > echoMs) process.exit(1);
  interruption.abort(new Error('interrupted'));
}
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt);
// Whoever started this process is gone; without it nobody would stop the servers.
process.on('disconnect', interrupt);

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const ffmpeg = provideTool('ffmpeg');
  if (ffmpeg === undefined) {
    console.error('The demonstration needs ffmpeg to make its video.');
    return 1;
  }
  await runDemo({ options, ffmpeg, signal, cleanUps, terminal: process.stdout });
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // 130 is what a shell reports for a command that Ctrl-C ended.
  process.exitCode = signal.aborted ? 130 : error instanceof UsageError ? 2 : 1;
  if (!signal.aborted) console.error(`\ndemo: ${error instanceof Error ? error.message : error}`);
} finally {
  await cleanUps.run();
  if (process.connected) process.disconnect();
}
