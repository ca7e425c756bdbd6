import type { Ports } from './ports.ts';
import { untilAborted } from './until-aborted.ts';
import { answerLimitMs, withStallLimit } from './with-stall-limit.ts';

/**
 * Asks a callback of the application, which knows nothing of the signal and may ask a server that never answers.
 *
 * @throws what the callback throws, the reason of the signal, or an error where there is no answer within `answerLimitMs`
 */
export function askApplication<Value>(
  callback: () => Value | Promise<Value>,
  ports: Ports,
  signal: AbortSignal,
): Promise<Value> {
  return withStallLimit(answerLimitMs, ports, signal, (limit) =>
    untilAborted(limit, (async () => callback())()),
  );
}
