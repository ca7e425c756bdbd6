import { randomBytes } from 'node:crypto';
import { createKeyCredentials, generateApiKey, hashCredential } from '@latchkey/shared/auth';
import type { ApiKeyState, ApiKeyVerifier, Scope } from '@latchkey/shared/contracts';
import type { Database } from '@latchkey/shared/db';
import { createManualClock, createTestHost } from '@latchkey/shared/testing';
import { addContentRoutes, type ContentRouteOptions } from './app.ts';
import { createContentReader } from './content-reader.ts';

/** One raw key for each scope, made of its letter: for tests alone. */
export const keys = {
  admin: generateApiKey(() => Buffer.alloc(32, 'a')),
  full: generateApiKey(() => Buffer.alloc(32, 'f')),
  packager: generateApiKey(() => Buffer.alloc(32, 'k')),
  upload: generateApiKey(() => Buffer.alloc(32, 'u')),
  playback: generateApiKey(() => Buffer.alloc(32, 'p')),
} as const satisfies Record<Scope, string>;

const states = new Map(
  Object.entries(keys).map(([scope, key]): [string, ApiKeyState] => [
    hashCredential(key),
    { id: `id-of-${scope}`, name: scope, scope: scope as Scope, expiresAt: null, revokedAt: null },
  ]),
);
const verifier: ApiKeyVerifier = {
  findApiKey: async (keyHash) => states.get(keyHash) ?? null,
  noteUse: () => {},
};

/** The content service on a host of its own, and a way to ask it. */
export async function serveContents(
  db: Database,
  {
    publicUrl = null,
    playlistOrigins = [],
  }: Partial<Pick<ContentRouteOptions, 'publicUrl' | 'playlistOrigins'>> = {},
) {
  const clock = createManualClock();
  const reader = createContentReader({ db });
  const leases = { findLease: async () => null, findMark: async () => null };
  const host = await createTestHost({ db, clock, verifier, contents: reader, leases });
  let given = 0;
  await addContentRoutes(host.app, {
    ...host,
    randomId: () => `00000000-0000-4000-8000-${String(++given).padStart(12, '0')}`,
    guard: { authenticator: host.authenticator, limiter: null },
    contents: reader,
    keyCredentials: createKeyCredentials({ secrets: ['of tests'], clock, randomBytes }),
    randomBytes,
    publicUrl,
    playlistOrigins,
    uploadStore: null,
  });
  type Body = Record<string, unknown>;
  async function ask(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: Body,
    key: string = keys.full,
  ) {
    const answer = await host.app.inject({
      method,
      url: `/api/v1/content${path}`,
      headers: { authorization: `Bearer ${key}` },
      ...(body ? { payload: body } : {}),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, for the test to look into
    return { status: answer.statusCode, body: answer.json<any>() };
  }
  return { ...host, clock, reader, ask };
}
