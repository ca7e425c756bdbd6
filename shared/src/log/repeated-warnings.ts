import type { Clock } from '../clock/index.ts';
import { describe, type OperatorLog } from './operator-log.ts';

/** Often enough that whoever looks at the log meets it, and seldom enough that everything else can be seen. */
const againAfterMs = 60_000;
/** Reasons that are remembered. There are few; some name a port or an id. */
const remembered = 200;

/**
 * Warnings that come again and again while something is lost, such as once with every question: said at once, and again
 * where the reason is another one, but the same one only once a minute, with how often it came meanwhile.
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
