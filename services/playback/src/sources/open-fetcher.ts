import type { WorkPortions } from '../work-portions.ts';
import { createFetchLimiter } from './fetch-limiter.ts';
import type { FetchedText } from './fetch-source.ts';

interface Fetcher {
  /** As `fetchSource`. */
  fetchText(url: URL): Promise<FetchedText>;
  close(): Promise<void>;
}

/** The line of `createFetchLimiter` lets no more through, so a connection is free for each fetch. */
const connectionsToEach = 16;
/** With its bytes, its text and what is written of it, a long playlist may take 50 MiB until it is rewritten. */
const longLimits = { ofOrigin: 2, inAll: 4, inLine: 64 };
/** Live playlists are fetched every few seconds. Longer than most, so their connection stays. */
const keepAliveMs = 15_000;

/**
 * Fetches playlists on connections of its own, without cookies or credentials. TLS certificates are verified.
 *
 * @param mayFetch whether a playlist may be fetched from this URL
 * @param workTurns to decode a text
 * @param isUsed whether there are origins to fetch from
 */
export function openFetcher(
  mayFetch: (url: URL) => boolean,
  workTurns: Pick<WorkPortions, 'take'>,
  isUsed: boolean,
): Fetcher {
  const turns = createFetchLimiter();
  const longTurns = createFetchLimiter(longLimits);
  // Its client takes 3 MB, and most single nodes have no sessions. With them it is loaded at the start, since requests wait for the 50 ms.
  const open = async () => {
    const [{ Agent }, { fetchSource }] = await Promise.all([import('undici'), import('./fetch-source.ts')]);
    return {
      dispatcher: new Agent({ connections: connectionsToEach, keepAliveTimeout: keepAliveMs }),
      fetchSource,
    };
  };
  let opening = isUsed ? open() : null;
  return {
    async fetchText(url) {
      opening ??= open();
      const { dispatcher, fetchSource } = await opening;
      return fetchSource(url, { mayFetch, dispatcher, turns, longTurns, workTurns });
    },
    async close() {
      await opening?.then(({ dispatcher }) => dispatcher.destroy());
    },
  };
}
