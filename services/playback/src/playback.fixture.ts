import { formatSid, hashSecret, type LeaseState } from '@latchkey/shared/contracts';
import {
  createLeaseState,
  createManualClock,
  createTestHost,
  databaseKinds,
  type TestHost,
} from '@latchkey/shared/testing';
import { onTestFinished } from 'vitest';
import { createOwnKeys } from './own-keys.ts';
import { rewriteAtOnce } from './rewrite/rewrite.fixture.ts';
import { addPlaylistRoutes } from './routes/get-playlist.ts';
import { createPlaylistServer } from './serve-playlist.ts';
import type { FetchedText } from './sources/fetch-source.ts';
import { createFaultReport } from './sources/report-faults.ts';
import { createSlowPlaces } from './sources/shared-fetch.ts';
import { createSourceCache } from './sources/source-cache.ts';
import { createWorkPortions } from './work-portions.ts';

export const leaseId = '5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11';
const secret = Buffer.alloc(16, 7);
/** The id of the only session. */
export const sid = formatSid(leaseId, secret);
export const start = 'https://cdn.example/film/index.m3u8';

/**
 * The service on a clock that the test moves, with one session of one content.
 *
 * @param texts the playlists of the source by their URL, which may change. A missing one is an Error
 */
export async function servePlaylists(texts: Record<string, string | Error>) {
  const [sqlite] = databaseKinds({});
  if (!sqlite) throw new Error('there is always SQLite');
  const database = await sqlite.open();
  onTestFinished(() => database.close());
  const clock = createManualClock();
  const now = clock.now();
  const state = {
    content: {
      status: 'active',
      keyVersion: 1,
      keyPeriods: null,
      playlistUrl: start as string | undefined,
    } as {
      status: 'active' | 'disabled';
      keyVersion: number;
      keyPeriods: null;
      playlistUrl?: string;
    } | null,
    lease: createLeaseState({
      expiresAt: now + 300_000,
      renewableUntil: now + 330_000,
      session: { secretHash: hashSecret(secret), extendFrom: now },
    }) as LeaseState | null,
    readsOfLeases: 0,
  };
  const host = await createTestHost({
    db: database.db,
    clock,
    verifier: { findApiKey: async () => null, noteUse: () => {} },
    contents: { findContent: async () => state.content },
    leases: {
      async findLease(id) {
        state.readsOfLeases++;
        return id === leaseId ? state.lease : null;
      },
      findMark: async () => null,
    },
  });
  onTestFinished(() => host.app.close());
  const { sources, ...source } = openTestSources(texts, host);
  const uses: [string, number][] = [];
  let turnsBegun = 0;
  const turns = createWorkPortions((run) => {
    turnsBegun++;
    setImmediate(run);
  });
  const playlists = createPlaylistServer({
    ...host,
    leaseMode: 'optional',
    sources,
    turns,
    noteUse: (id, _lease, usedAt) => void uses.push([id, usedAt]),
  });
  await addPlaylistRoutes(host.app, {
    playlists,
    guard: { authenticator: host.authenticator, limiter: null },
    metrics: host.metrics,
  });
  const get = (path: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    host.app.inject({ method, url: path });
  /** Drops the cached states, as a change in the feed does. */
  const forget = () => {
    host.authority.leases.invalidate(leaseId);
    host.authority.contents.invalidate('film');
  };
  return { ...host, ...source, clock, state, uses, get, forget, turnsBegun: () => turnsBegun };
}

function openTestSources(texts: Record<string, string | Error>, { clock, log }: TestHost) {
  const fetched: string[] = [];
  /** Runs while a text is being fetched. */
  const during = { fetch: async () => {} };
  const mayFetch = ({ origin }: URL) => origin === 'https://cdn.example';
  const sources = createSourceCache({
    clock,
    async fetchText(url): Promise<FetchedText> {
      fetched.push(url.href);
      await during.fetch();
      const text = texts[url.href] ?? new Error('it is away');
      if (text instanceof Error) throw text;
      return { text, url, maxAgeSeconds: null, end: () => {} };
    },
    rewrite: async (text, parent) =>
      rewriteAtOnce({ ...text, parent }, { mayFetch, toOwnKey: createOwnKeys('https://keys.example/v') }),
    onFault: createFaultReport(log, clock),
    places: createSlowPlaces(() => () => {}),
    roomBytes: 1024 * 1024,
  });
  return { sources, fetched, during };
}
