/** The SIGHUPs that reach a process while it starts. */
export interface HeldHangups {
  /** Passes each later signal on. Several that came before count as one: one reading finds what all of them announced. */
  passTo(act: () => void): void;
}

/**
 * Remembers SIGHUP until the process can act on it. Otherwise a `reload` during a start would end the process, which is what the system
 * does at this signal. Call it before the configuration is read: a file that is replaced after the reading is then read again.
 *
 * @param isAwaited whether the process will act on SIGHUP. If not, the signal ends the process at once, also while it starts
 */
export function holdHangups(process: NodeJS.Process, isAwaited: boolean): HeldHangups {
  let act: (() => void) | null = null;
  let hasCome = false;
  const onSignal = () => {
    if (act) act();
    else hasCome = true;
  };
  if (isAwaited) process.on('SIGHUP', onSignal);
  return {
    passTo(next) {
      act = next;
      if (!isAwaited) process.on('SIGHUP', onSignal);
      if (hasCome) act();
    },
  };
}
