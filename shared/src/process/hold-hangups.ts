/** The SIGHUPs that reach a process while it starts. */
export interface HeldHangups {
  /** Whether the signal ends the process, because it means that its terminal was closed. */
  readonly endProcess: boolean;
  /** Passes each later signal on. Several that came before count as one: one reading finds what all of them announced. */
  passTo(act: () => void): void;
}

/**
 * Remembers SIGHUP until the process can act on it. Otherwise a `reload` during a start would end the process, which is what the system
 * does at this signal. Call it before the configuration is read: a file that is replaced after the reading is then read again.
 *
 * @param isAwaited whether the process will act on SIGHUP. If not, the signal ends a process at a terminal at once, also while it starts
 */
export function holdHangups(process: NodeJS.Process, isAwaited: boolean): HeldHangups {
  const endProcess = !isAwaited && isAtTerminal(process);
  let act: (() => void) | null = null;
  let hasCome = false;
  const onSignal = () => {
    if (act) act();
    else hasCome = true;
  };
  if (!endProcess) process.on('SIGHUP', onSignal);
  return {
    endProcess,
    passTo(next) {
      act = next;
      if (endProcess) process.on('SIGHUP', onSignal);
      if (hasCome) act();
    },
  };
}

/**
 * Whether a closed terminal may be the reason of SIGHUP. It never is for the first process of a container, which Docker would not
 * start again after `docker kill`, whatever its restart policy is.
 */
function isAtTerminal(process: NodeJS.Process): boolean {
  if (process.pid === 1) return false;
  return [process.stderr, process.stdout, process.stdin].some(({ isTTY }) => isTTY);
}
