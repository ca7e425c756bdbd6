import { randomBytes, randomUUID } from 'node:crypto';
import { hashCredential } from '@latchkey/shared/auth';
import type { ApiKeyState, ContentState, Scope } from '@latchkey/shared/contracts';
import type { Database } from '@latchkey/shared/db';
import type { Notice } from '@latchkey/shared/events';
import {
  createManualClock,
  createTestHost,
  databaseKinds,
  type TestHost,
  testTokenSecret,
} from '@latchkey/shared/testing';
import { signToken } from '@latchkey/support/tokens';
import { addLeaseRoutes, toWriting } from './app.ts';
import { createLeaseReader } from './lease-reader.ts';
import type { LeaseRouteOptions } from './lease-route-options.ts';
import type { LeaseRules } from './lease-rules.ts';
import { createRevocationWriter } from './revocation-writer.ts';

/** The defaults of `docs/operate/configuration.md`. */
const usualRules: LeaseRules = {
  mode: 'optional',
  ttlSeconds: 300,
  maxTtlSeconds: 3_600,
  renewGraceSeconds: 30,
  maxPerViewer: 0,
  limitMode: 'reject',
  sessionMaxSeconds: 21_600,
};

/** Raw API keys of each scope that the fixture knows. */
export const rawKeys: Record<Scope, string> = {
  admin: `lk_${'a'.repeat(64)}`,
  full: `lk_${'b'.repeat(64)}`,
  packager: `lk_${'e'.repeat(64)}`,
  upload: `lk_${'c'.repeat(64)}`,
  playback: `lk_${'d'.repeat(64)}`,
};

export type LeaseFixture = Awaited<ReturnType<typeof openLeases>>;

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many forms
  body: any;
}

/** The lease routes on a database of a test, with the videos `film` and `series` (active) and `withdrawn` (disabled). */
export async function openLeases(
  db: Database,
  {
    rules = {},
    contentMode = 'registered',
    publicUrl = 'https://keys.example/base',
  }: {
    rules?: Partial<LeaseRules>;
    contentMode?: LeaseRouteOptions['contentMode'];
    publicUrl?: string | null;
  } = {},
) {
  const clock = createManualClock();
  const allRules = { ...usualRules, ...rules };
  const contents = new Map<string, ContentState>([
    [
      'film',
      { status: 'active', keyVersion: 1, keyPeriods: null, playlistUrl: 'https://cdn.example/film.m3u8' },
    ],
    ['series', { status: 'active', keyVersion: 1, keyPeriods: null }],
    ['withdrawn', { status: 'disabled', keyVersion: 1, keyPeriods: null }],
  ]);
  const contentReader = { findContent: async (id: string) => contents.get(id) ?? null };
  const keys = new Map(
    Object.entries(rawKeys).map(([scope, raw]) => [hashCredential(raw), stateOfKey(scope as Scope)]),
  );
  const host = await createTestHost({
    db,
    clock,
    verifier: { findApiKey: async (hash) => keys.get(hash) ?? null, noteUse: () => {} },
    contents: contentReader,
    leases: createLeaseReader({ db, renewGraceSeconds: allRules.renewGraceSeconds }),
  });
  const writer = createRevocationWriter({ db, clock, signal: new AbortController().signal });
  const notices: Notice[] = [];
  host.bus.subscribe((message) => void ('notice' in message && notices.push(message.notice)));
  const options: LeaseRouteOptions = {
    ...host,
    contents: contentReader,
    contentMode,
    rules: allRules,
    publisher: null,
    marksKeptMs: 86_420_000,
    publicUrl,
    randomBytes,
    randomId: randomUUID,
    guard: { authenticator: host.authenticator, limiter: null },
  };
  await addLeaseRoutes(host.app, options);
  return {
    ...{ ...host, clock, writing: toWriting(options), notices },
    /** Content by id; a test may add to it. */
    contents,
    /** Writes to the rows what has been revoked by viewer or content. */
    writeRevocations: () => writer.run(),
    /** A token of the viewer, issued now. */
    tokenOf(viewerId: string, claims: Record<string, unknown> = {}) {
      const iat = Math.floor(clock.now() / 1_000);
      return signToken(testTokenSecret, { sub: viewerId, iat, exp: iat + 3_600, ...claims });
    },
    ask: createAsk(host),
  };
}

function createAsk(host: TestHost) {
  return async (
    method: 'GET' | 'POST' | 'PUT',
    url: string,
    credential: string | null = null,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    // As each second in a process: without it nothing is served after half a minute.
    await host.pull();
    const response = await host.app.inject({
      method,
      url,
      headers: { ...headers, ...(credential === null ? {} : { authorization: `Bearer ${credential}` }) },
      ...(body === undefined ? {} : { payload: body }),
    });
    const isJson = /json/.test(String(response.headers['content-type']));
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : response.body,
    };
  };
}

function stateOfKey(scope: Scope): ApiKeyState {
  return { id: randomUUID(), name: scope, scope, expiresAt: null, revokedAt: null };
}

/** The lease routes on a SQLite database that ends with the test. */
export async function openLeasesOnSqlite(options?: Parameters<typeof openLeases>[1]) {
  const [sqlite] = databaseKinds({});
  if (!sqlite) throw new Error('SQLite is always there');
  const { db } = await sqlite.open();
  return openLeases(db, options);
}
