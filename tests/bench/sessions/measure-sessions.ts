import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@latchkey/shared/db';
import { type Cleanup, createCleanup } from '../cleanup.ts';
import { type CpuUse, type EventProfile, watchCpu } from '../event/event-target.ts';
import { startLoadProcess } from '../load/child-process.ts';
import { adminKey, becomesReady, call, type Subject, startSingleNode } from '../servers.ts';
import { startBackings } from '../stack/backings.ts';
import { startGateway, startKeyDerivation, startOwners, startPlayback } from '../stack/services.ts';
import { type LiveSource, segmentSeconds, startLiveSource } from './live-source.ts';
import type { ReloadOrder, ReloadResult } from './reload-order.ts';

export interface SessionSample {
  profile: EventProfile;
  sessions: number;
  result: ReloadResult;
  /** Of the playlist that was fetched most, while the load ran. */
  fetches: number;
  /** Of the whole run, in which those fetches were. */
  elapsedSeconds: number;
  cpu: CpuUse[];
}

interface SessionOptions {
  /** How many sessions, one measurement after the other. */
  counts: readonly number[];
  seconds: number;
  say: (line: string) => void;
}

const contentId = 'channel';
/** What players are told. Nobody fetches it here: the load knows the server's own address. */
const publicUrl = 'http://keys.example';
/** Enough for a server to be busy, and few enough for its limits. */
const creationsAtOnce = 32;

/** Sessions that reload the video and the sound of one live channel. */
export async function measureSessions(
  profile: EventProfile,
  { counts, seconds, say }: SessionOptions,
): Promise<SessionSample[]> {
  const cleanup = createCleanup();
  try {
    const source = cleanup.add(await startLiveSource(() => `${publicUrl}/keys/${contentId}`));
    const settings = { PUBLIC_URL: publicUrl, PLAYLIST_ORIGINS: source.origin };
    const { url, processes } = await (profile === 'single'
      ? startSingle(cleanup, settings)
      : startDistributed(cleanup, settings));
    const { playlistUrl } = source;
    await call(url, 'POST', '/api/v1/content', adminKey, { id: contentId, name: 'Channel', playlistUrl });
    const load = cleanup.add(startLoadProcess<ReloadOrder, ReloadResult>('../sessions/sessions-process.ts'));
    const samples: SessionSample[] = [];
    for (const count of counts) {
      say(`${profile}: ${count.toLocaleString('en')} sessions are made`);
      const sessions = await openSessions(url, count);
      say(`${profile}: they reload for ${seconds} s, after a run to warm up`);
      const before = mostFetched(source);
      const startedAtMs = performance.now();
      const readCpu = watchCpu(processes);
      const result = await load.order({ url, sessions, everySeconds: segmentSeconds, seconds });
      const fetches = mostFetched(source) - before;
      const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
      samples.push({ profile, sessions: count, result, fetches, elapsedSeconds, cpu: readCpu() });
    }
    return samples;
  } finally {
    await cleanup.run();
  }
}

type Settings = Readonly<Record<string, string>>;

async function startSingle(cleanup: Cleanup, settings: Settings) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const sqlitePath = join(folder, 'latchkey.db');
  const server = cleanup.add(await startSingleNode({ SQLITE_PATH: sqlitePath }, 'single node', settings));
  await becomesReady(server.url);
  return { url: server.url, processes: [server] };
}

/** One process of each service. */
async function startDistributed(cleanup: Cleanup, settings: Settings) {
  const backings = cleanup.add(await startBackings());
  await migrate(backings.db);
  const owners = await startOwners(backings.env, settings);
  const servers: Subject[] = Object.values(owners.servers);
  for (const server of servers) cleanup.add(server);
  const keys = cleanup.add(await startKeyDerivation('key-derivation', owners, backings.env));
  const playback = cleanup.add(await startPlayback(owners, backings.env, settings));
  const gateway = cleanup.add(
    await startGateway('gateway', owners, [keys], { PLAYBACK_SERVICE_URL: playback.url }),
  );
  for (const { url } of [keys, playback, gateway]) await becomesReady(url);
  return { url: gateway.url, processes: [gateway, playback, keys, ...servers] };
}

/** @returns the paths that each session reloads: those of the video and of the sound */
async function openSessions(url: string, count: number): Promise<string[][]> {
  const sids: string[] = [];
  const create = async () => {
    while (sids.length < count) {
      const n = sids.push('') - 1;
      const body = { contentId, viewerId: `viewer-${n}`, ttlSeconds: 3_600 };
      const { session } = (await call(url, 'POST', '/keys/sessions', adminKey, body)) as {
        session: { id: string };
      };
      sids[n] = session.id;
    }
  };
  await Promise.all(Array.from({ length: creationsAtOnce }, create));
  const answer = await fetch(`${url}/play/${sids[0]}/index.m3u8`);
  const names = (await answer.text()).match(/[\w-]{16}\.m3u8/g) ?? [];
  if (names.length !== 2) throw new Error(`the playlist lists ${names.length} others: ${answer.status}`);
  return sids.map((sid) => names.map((name) => `/play/${sid}/${name}`));
}

function mostFetched({ counts }: LiveSource): number {
  return Math.max(...counts.values(), 0);
}
