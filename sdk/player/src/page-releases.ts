import type { Clock } from './clock.ts';
import { networkError, toPlayerError } from './player-error.ts';
import { withTimeout } from './with-timeout.ts';

/** The releases of leases that are under way in this page, at one key server. */
export interface PageReleases {
  /** @returns the release */
  add(release: Promise<void>): Promise<void>;
  /** Resolved when the present releases are over, or after the time of an attempt (8 s): a release without an answer by then has failed. */
  over(): Promise<unknown>;
}

/** Of the page, not of a module: each entry of the package is a module of its own, and a page may have two copies of it. */
export const pageKey = Symbol.for('latchkey.releases');
const page = globalThis as { [pageKey]?: Map<string, Set<Promise<void>>> };

/**
 * A player takes no lease before all leases that players of this page give back are released. The server would refuse it
 * because of the limit, or return the same lease for the same content and device. No framework awaits `destroy()`.
 */
export function createPageReleases(keyServerUrl: string, clock: Clock): PageReleases {
  page[pageKey] ??= new Map();
  const all = page[pageKey];
  const underWay = all.get(keyServerUrl) ?? new Set();
  all.set(keyServerUrl, underWay);
  const late = () => networkError('A lease is not released yet.');
  return {
    add(release) {
      underWay.add(release);
      const remove = () => underWay.delete(release);
      release.then(remove, remove);
      return release;
    },
    over: () =>
      withTimeout(clock, () => Promise.all(underWay), { failed: toPlayerError, late }).catch(() => {}),
  };
}
