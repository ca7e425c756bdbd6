import { authorityLimitMs } from '../events/index.ts';
import type { App } from '../http/index.ts';
import { phaseHeader } from '../upstream/index.ts';

/**
 * A second before the usual 5 s after which states are unknown, so that requests go elsewhere before the first of them fails.
 * Above the 3 s that a reading of the feed and the next one take where the first neighbour asked is silent for its 2 s. Not
 * later where states are believed for longer: a replica that hears of revocations is the better one to ask.
 */
const latestUnsureMs = 4_000;
const unsurePart = 0.8;

/**
 * Tells on every answer that this process has lost touch with what changes: its cached states are unknown, or about to
 * be. The caller prefers another replica, if one is sure.
 *
 * @param ageMs how long ago the change feed was known to have been read to its end; null before the first time
 * @param limitMs the age after which a state that nothing has confirmed is unknown
 */
export function announceUnsure(app: App, ageMs: () => number | null, limitMs = authorityLimitMs): void {
  const unsureAfterMs = Math.min(latestUnsureMs, limitMs * unsurePart);
  app.addHook('onRequest', (_request, reply, done) => {
    if ((ageMs() ?? 0) > unsureAfterMs && !reply.hasHeader(phaseHeader)) reply.header(phaseHeader, 'unsure');
    done();
  });
}
