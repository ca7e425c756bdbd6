import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createSetupOriginReader, type SetupOrigin } from '@latchkey/shared/http';
import {
  createManualClock,
  createTestHost,
  type DatabaseKind,
  databaseKinds,
  type TestHost,
} from '@latchkey/shared/testing';
import { createApiKeyVerifier } from './api-key-verifier.ts';
import { addAuthRoutes } from './app.ts';
import type { SetupSecrets } from './config.ts';

export type AuthFixture = Awaited<ReturnType<typeof startAuth>>;

interface Question {
  credential?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Answer {
  status: number;
  code: string | undefined;
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any member and compares it
  body: any;
}

export const testBootstrapKey = 'bootstrap-key-of-tests-0123456789';

const [sqlite] = databaseKinds({});

/** The auth service on a database and a clock of its own, for tests. */
export async function startAuth({
  kind = sqlite,
  setup = { bootstrapKeys: [testBootstrapKey], setupToken: null },
  randomId = randomUUID,
}: {
  kind?: DatabaseKind | undefined;
  setup?: SetupSecrets;
  randomId?: () => string;
} = {}) {
  if (!kind) throw new Error('no database');
  const { db, close } = await kind.open();
  const clock = createManualClock();
  const { bootstrapKeys } = setup;
  const verifier = createApiKeyVerifier({ db, clock, bootstrapKeys, onFault: () => {} });
  const host = await createTestHost({
    db,
    clock,
    verifier,
    contents: { findContent: async () => null },
    leases: { findLease: async () => null, findMark: async () => null },
  });
  await addAuthRoutes(host.app, {
    db,
    clock,
    randomId,
    randomBytes,
    setup,
    warn: (message) => host.log.warn(message),
    ledger: host.ledger,
    waitUntilApplied: host.waitUntilApplied,
    refusals: host.refusals,
    guard: { authenticator: host.authenticator, limiter: null },
    originOf: originOfInjected(createSetupOriginReader({}, clock)),
    bus: host.bus,
    flushUses: verifier.flush,
    webhookOrigins: ['https://hooks.example.com'],
    sendWebhooks: () => {},
    usageAccess: {
      retention: { days: 30, minutesHours: 48 },
      grafanaUrl: null,
    },
  });

  const ask = askOf(host);
  return {
    ...{ host, clock, ask },
    async create(body: Record<string, unknown> = {}): Promise<{ id: string; rawKey: string }> {
      const answer = await ask('POST', '/api/v1/api-keys', {
        credential: testBootstrapKey,
        body: { name: 'a key', ...body },
      });
      return { id: answer.body.api_key.id, rawKey: answer.body.raw_key };
    },
    async close() {
      await host.app.close();
      await close();
    },
  };
}

/** A request that is injected has `Host: localhost:80`, and its socket no port. */
function originOfInjected(
  read: ReturnType<typeof createSetupOriginReader>,
): (request: IncomingMessage) => SetupOrigin {
  return ({ url, headers, rawHeaders, socket: { remoteAddress } }) =>
    read({ url, headers, rawHeaders, socket: { remoteAddress, localPort: 80 } });
}

function askOf(host: TestHost) {
  return async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    { credential, body, headers = {} }: Question = {},
  ): Promise<Answer> => {
    const answer = await host.app.inject({
      method,
      url,
      headers: { ...headers, ...(credential !== undefined && { authorization: `Bearer ${credential}` }) },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const isJson = /[/+]json/.test(String(answer.headers['content-type']));
    const parsed = answer.body === '' ? null : isJson ? answer.json() : answer.body;
    return { status: answer.statusCode, code: parsed?.code, headers: answer.headers, body: parsed };
  };
}
