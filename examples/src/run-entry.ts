import { type CleanUps, createCleanUps } from './clean-ups.ts';
import { UsageError } from './usage-error.ts';

/** One Ctrl-C can arrive twice, from the terminal and from npm. A second one of the user comes later than this. */
const echoMs = 500;

export interface EntryContext {
  /** Aborted by Ctrl-C, and when the process that started this one is gone. */
  readonly signal: AbortSignal;
  /** Receives everything that must be stopped at the end. */
  readonly cleanUps: CleanUps;
}

/**
 * Runs a program that serves until it is interrupted, and then its clean-ups. The process exits with the code of `main`, or
 * with 2 for a `UsageError`, 130 after Ctrl-C, 1 for any other error.
 *
 * @param name comes before an error message
 * @param main returns the exit code
 */
export async function runEntry(
  name: string,
  main: (context: EntryContext) => Promise<number>,
): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const cleanUps = createCleanUps((error) => console.error(error));
  let interruptedAtMs: number | undefined;

  function interrupt(): void {
    if (interruptedAtMs === undefined) interruptedAtMs = performance.now();
    else if (performance.now() - interruptedAtMs > echoMs) process.exit(1);
    interruption.abort(new Error('interrupted'));
  }
  for (const signalName of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signalName, interrupt);
  // If the process that started this one is gone, no signal stops the servers.
  process.on('disconnect', interrupt);

  try {
    process.exitCode = await main({ signal, cleanUps });
  } catch (error) {
    // A shell reports 130 for a command that Ctrl-C ended.
    process.exitCode = signal.aborted ? 130 : error instanceof UsageError ? 2 : 1;
    if (!signal.aborted) console.error(`\n${name}: ${error instanceof Error ? error.message : error}`);
  } finally {
    await cleanUps.run();
    if (process.connected) process.disconnect();
  }
}
