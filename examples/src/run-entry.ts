import { type CleanUps, createCleanUps } from './clean-ups.ts';
import { UsageError } from './usage-error.ts';

/** A terminal's Ctrl-C can arrive twice, from the terminal and from npm; a person's second one comes later than this. */
const echoMs = 500;

export interface EntryPorts {
  /** Aborted by Ctrl-C, and when the process that started this one is gone. */
  readonly signal: AbortSignal;
  /** Gets what was begun and has to be ended. */
  readonly cleanUps: CleanUps;
}

/**
 * The life of a program that serves until it is interrupted: `main` is run, then what it began is ended. Its exit code is
 * that of the process: 2 for a `UsageError`, 130 after Ctrl-C, 1 for any other fault.
 *
 * @param name before the message of a fault
 * @param main gives the exit code
 */
export async function runEntry(name: string, main: (ports: EntryPorts) => Promise<number>): Promise<void> {
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
  // The process that started this one is gone. Without this, nothing would stop the servers.
  process.on('disconnect', interrupt);

  try {
    process.exitCode = await main({ signal, cleanUps });
  } catch (error) {
    // 130 is what a shell reports for a command that Ctrl-C ended.
    process.exitCode = signal.aborted ? 130 : error instanceof UsageError ? 2 : 1;
    if (!signal.aborted) console.error(`\n${name}: ${error instanceof Error ? error.message : error}`);
  } finally {
    await cleanUps.run();
    if (process.connected) process.disconnect();
  }
}
