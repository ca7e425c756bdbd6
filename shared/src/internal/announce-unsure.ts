import { authorityLimitMs } from '../events/index.ts';
import type { App } from '../http/index.ts';
import { phaseHeader } from '../upstream/index.ts';

/**
 * A second before the usual 5 s after which states are unknown, so that requests go elsewhere before the first of them
 * fails. Above the 3 s that two reads of the feed take where the first address is silent for its 2 s. It does not grow
 * with a longer limit: a replica that receives revocations is always the better choice.
 */
const latestUnsureMs = 4_000;
const unsurePart = 0.8;

/**
 * Marks every answer of a process that no longer receives changes: its cached states are unknown, or soon will be. The
 * caller then prefers another replica that is up to date.
 *
 * @param ageMs how long ago the change feed was known to have been read to its end; null before the first time
 * @param limitMs the age after which a state without confirmation is unknown
 */
export function announceUnsure(app: App, ageMs: () => number | null, limitMs = authorityLimitMs): void {
  const unsureAfterMs = Math.min(latestUnsureMs, limitMs * unsurePart);
  app.addHook('onRequest', (_request, reply, done) => {
    if ((ageMs() ?? 0) > unsureAfterMs && !reply.hasHeader(phaseHeader)) reply.header(phaseHeader, 'unsure');
    done();
  });
}
