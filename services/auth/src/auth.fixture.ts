import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createTableCheck } from '@latchkey/shared/db';
import { createSetupOriginReader, type SetupOrigin } from '@latchkey/shared/http';
import {
  createManualClock,
  createTestHost,
  type DatabaseKind,
  databaseKinds,
  type ManualClock,
  type TestHost,
} from '@latchkey/shared/testing';
import { createApiKeyVerifier, type OwnedApiKeyVerifier } from './api-key-verifier.ts';
import type { SetupSecrets } from './config.ts';
import { authRoutes } from './mount.ts';
import type { UsageAccess } from './usage/usage-jobs.ts';

/** The auth service on a database and a clock of its own, for tests. */
export interface AuthFixture {
  host: TestHost;
  clock: ManualClock;
  verifier: OwnedApiKeyVerifier;
  ask(
    method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    request?: Question,
  ): Promise<Answer>;
  /** Creates a key with the bootstrap key. */
  create(body?: Record<string, unknown>): Promise<{ id: string; rawKey: string; apiKey: Answer['body'] }>;
  close(): Promise<void>;
}

export interface Question {
  credential?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The address that the call comes from; 127.0.0.1 where it is left out. */
  from?: string;
}

interface Answer {
  status: number;
  code: string | undefined;
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any member and compares it
  body: any;
}

export const testBootstrapKey = 'bootstrap-key-of-tests-0123456789';

/** The only origin in WEBHOOK_ORIGINS. */
const testWebhookOrigin = 'https://hooks.example.com';

const [sqlite] = databaseKinds({});

const usualUsage = (): UsageAccess => ({
  table: createTableCheck('usage_counts'),
  retention: { days: 30, minutesHours: 48 },
  grafanaUrl: null,
});

export async function startAuth({
  kind = sqlite,
  setup = { bootstrapKeys: [testBootstrapKey], setupToken: null },
  randomId = randomUUID,
  webhookOrigins = [testWebhookOrigin],
  usage = {},
}: {
  kind?: DatabaseKind | undefined;
  setup?: SetupSecrets;
  randomId?: () => string;
  webhookOrigins?: readonly string[];
  usage?: Partial<UsageAccess>;
} = {}): Promise<AuthFixture> {
  if (!kind) throw new Error('no database');
  const { db, close } = await kind.open();
  const clock = createManualClock();
  const bootstrapKeys = () => setup.bootstrapKeys;
  const verifier = createApiKeyVerifier({ db, clock, bootstrapKeys, onFault: () => {} });
  const host = await createTestHost({
    db,
    clock,
    verifier,
    contents: { findContent: async () => null },
    leases: { findLease: async () => null, findMark: async () => null },
  });
  await authRoutes({
    db,
    clock,
    randomId,
    randomBytes,
    setup,
    warn: (message) => host.log.warn(message),
    ledger: host.ledger,
    refusals: host.refusals,
    guard: { authenticator: host.authenticator, limiter: null },
    originOf: originOfInjected(createSetupOriginReader({}, clock)),
    bus: host.bus,
    flushUses: verifier.flush,
    webhookOrigins,
    sendWebhooks: () => {},
    usageAccess: { ...usualUsage(), ...usage },
  })(host.app);

  const ask = askOf(host);
  return {
    host,
    clock,
    verifier,
    ask,
    async create(body = {}) {
      const answer = await ask('POST', '/api/v1/api-keys', {
        credential: testBootstrapKey,
        body: { name: 'a key', ...body },
      });
      const { api_key: apiKey, raw_key: rawKey } = answer.body;
      return { id: apiKey.id, rawKey, apiKey };
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

function askOf(host: TestHost): AuthFixture['ask'] {
  return async (method, url, { credential, body, headers, from } = {}) => {
    const answer = await host.app.inject({
      method,
      url,
      headers: { ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
      ...(from === undefined ? {} : { remoteAddress: from }),
    });
    const isJson = /[/+]json/.test(String(answer.headers['content-type']));
    const parsed = answer.body === '' ? null : isJson ? answer.json() : answer.body;
    return { status: answer.statusCode, code: parsed?.code, headers: answer.headers, body: parsed };
  };
}
