import type { LeaseState } from '@latchkey/shared/contracts';
import { boundCaches, readProcessMemory } from '@latchkey/shared/memory';
import type { ServiceCore } from '@latchkey/shared/process';
import type { PlaybackConfig } from './config.ts';
import { createOwnKeys } from './own-keys.ts';
import { rewritePlaylist } from './rewrite/rewrite-playlist.ts';
import { addPlaylistRoutes } from './routes/get-playlist.ts';
import { createPlaylistServer } from './serve-playlist.ts';
import { openFetcher } from './sources/open-fetcher.ts';
import { createFaultReport } from './sources/report-faults.ts';
import { createSlowPlaces } from './sources/shared-fetch.ts';
import { createSourceCache, type SourceCache } from './sources/source-cache.ts';
import { createWorkPortions, type WorkPortions } from './work-portions.ts';

/** Some 16,000 live playlists of 4 KiB, or 300 films of 200 KiB. Others are fetched again. */
const mostTextBytes = 64 * 1024 * 1024;
/** Of the memory that all other caches have together, where that is small. */
const textShare = 0.5;

interface MountOptions {
  /** A use of a session, which may extend its lease. It must not wait or throw. */
  noteUse: (leaseId: string, lease: LeaseState, usedAt: number) => void;
}

/** Adds the playback service to a process. No service calls it, so it has no internal routes. */
export async function mount(core: ServiceCore<PlaybackConfig>, { noteUse }: MountOptions): Promise<void> {
  const { app, authority, clock, guard, metrics, values } = core;
  warnOfMissingUrl(core);
  const turns = createWorkPortions();
  const playlists = createPlaylistServer({
    authority,
    clock,
    leaseMode: values.leaseMode,
    sources: openSources(core, turns),
    turns,
    noteUse,
  });
  await addPlaylistRoutes(app, { playlists, guard, metrics });
}

function openSources(
  { clock, log, shutdown, values }: ServiceCore<PlaybackConfig>,
  turns: WorkPortions,
): SourceCache {
  const listed = new Set(values.playlistOrigins);
  // Listed origins are http or https, and without a user name.
  const mayFetch = ({ origin, username, password }: URL) => listed.has(origin) && !username && !password;
  const toOwnKey = createOwnKeys(values.publicUrl ?? null);
  const fetcher = openFetcher(mayFetch, turns, listed.size > 0);
  shutdown.add('connections to the sources of playlists', 1_000, () => fetcher.close());
  return createSourceCache({
    clock,
    fetchText: fetcher.fetchText,
    rewrite: (fetched, parent) =>
      turns.finish(rewritePlaylist({ ...fetched, parent }, { mayFetch, toOwnKey })),
    onFault: createFaultReport(log, clock),
    places: createSlowPlaces(),
    roomBytes: Math.floor(Math.min(mostTextBytes, boundCaches(readProcessMemory()) * textShare)),
  });
}

function warnOfMissingUrl({ log, values }: ServiceCore<PlaybackConfig>): void {
  if (values.playlistOrigins.length === 0 || values.publicUrl) return;
  log.warn(
    'PLAYLIST_ORIGINS is set, but PUBLIC_URL is not: no session can be made, and the keys in playlists of sessions would be refused. Set PUBLIC_URL to the URL that players reach this server by',
  );
}
