import type { App } from '../http/index.ts';
import { phaseHeader } from '../upstream/index.ts';

/**
 * A second before the 5 s after which states are unknown, so that requests go elsewhere before the first of them fails. Above
 * the 3 s that a reading of the feed and the next one take where the first neighbour asked is silent for its 2 s.
 */
const unsureAfterMs = 4_000;

/**
 * Tells on every answer that this process has lost touch with what changes: its cached states are unknown, or about to
 * be. Whoever asks prefers another replica, if one is sure.
 *
 * @param ageMs how long ago the change feed was known to have been read to its end; null before the first time
 */
export function tellWhenUnsure(app: App, ageMs: () => number | null): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if ((ageMs() ?? 0) > unsureAfterMs && !reply.hasHeader(phaseHeader)) reply.header(phaseHeader, 'unsure');
    done();
  });
}
