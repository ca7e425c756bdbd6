import type { Clock } from '../clock/index.ts';
import { describe, type OperatorLog } from './operator-log.ts';

/** Often enough for a reader of the log to see it, and rare enough not to hide the other lines. */
const againAfterMs = 60_000;
/** Maximum number of remembered reasons. There are few; some name a port or an id. */
const remembered = 200;

/**
 * Warnings that repeat while a dependency is lost, such as one for each failed call. A warning is logged at once, and
 * again for another reason. The same one is logged once a minute, with the number of repetitions.
 */
export function createRepeatedWarnings(
  log: Pick<OperatorLog, 'warn'>,
  clock: Clock,
): (message: string, error: unknown) => void {
  const said = new Map<string, { atMs: number; unsaid: number }>();
  return (message, error) => {
    const reason = `${message}: ${error instanceof Error ? describe(error) : String(error)}`;
    const last = said.get(reason);
    const nowMs = clock.monotonic();
    if (last && nowMs - last.atMs < againAfterMs) {
      last.unsaid++;
      return;
    }
    if (said.size >= remembered) said.clear();
    said.set(reason, { atMs: nowMs, unsaid: 0 });
    log.warn(message, last && last.unsaid > 0 ? { error, timesSince: last.unsaid } : { error });
  };
}
