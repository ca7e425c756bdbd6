/** One Ctrl-C can arrive twice, from the terminal and from npm. A second one of the user comes later than this. */
const echoMs = 500;

/**
 * Runs a program that serves until it is interrupted, and then what it has put on the stack. The process exits with the code of
 * `main`, or with 130 after Ctrl-C, 1 for an error.
 *
 * @param name comes before an error message
 * @param main gets the stack, and a signal that Ctrl-C aborts, or the end of the process that started this one. Returns the exit code
 */
export async function runEntry(
  name: string,
  main: (stack: AsyncDisposableStack, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
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
    await using stack = new AsyncDisposableStack();
    process.exitCode = await main(stack, signal);
  } catch (error) {
    // A shell reports 130 for a command that Ctrl-C ended.
    process.exitCode = signal.aborted ? 130 : 1;
    if (!signal.aborted) console.error(`\n${name}: ${error instanceof Error ? error.message : error}`);
  }
  if (process.connected) process.disconnect();
}
