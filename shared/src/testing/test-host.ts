import { randomUUID } from 'node:crypto';
import { createRefusalLog } from '../audit/index.ts';
import {
  type Authenticator,
  createAuthenticator,
  createTokenVerifier,
  type TokenVerifier,
} from '../auth/index.ts';
import { usualIssuer } from '../auth/usual-rules.fixture.ts';
import { type Authority, createAuthority } from '../authority/index.ts';
import type { Clock } from '../clock/clock.ts';
import type { ApiKeyVerifier, ContentReader, LeaseReader } from '../contracts/index.ts';
import type { Database } from '../db/index.ts';
import { appliedAtOnce, createDatabaseFeed, createLedger } from '../events/database.ts';
import { type Bus, createFeedFollower, createInProcessBus, type WaitUntilApplied } from '../events/index.ts';
import { type App, createHost } from '../http/index.ts';
import type { OperatorLog, RequestLine } from '../log/index.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { UsageCounts } from '../statistics/index.ts';

/** Bytes of the HS256 secret that tokens of tests are signed with. */
export const testTokenSecret = Buffer.from('a secret of tests, longer than 32 bytes');
const acceptedInTest = [testTokenSecret] as const;

export interface TestHost {
  app: App;
  db: Database;
  bus: Bus;
  clock: Clock;
  metrics: Metrics;
  authority: Authority;
  authenticator: Authenticator;
  ledger: ReturnType<typeof createLedger>;
  waitUntilApplied: WaitUntilApplied;
  refusals: ReturnType<typeof createRefusalLog>;
  usage: UsageCounts;
  log: OperatorLog;
  /** The request lines so far. */
  lines: RequestLine[];
  /** The operator messages so far. */
  operatorLines: string[];
  /** Reads the change feed once. */
  pull(): Promise<void>;
}

export interface TestHostOptions {
  db: Database;
  clock: Clock;
  verifier: ApiKeyVerifier;
  contents: ContentReader;
  leases: LeaseReader;
}

/** A host on a test's own clock, for the tests of one service: mount its routes on `app`, then `inject`. */
export async function createTestHost({
  db,
  clock,
  verifier,
  contents,
  leases,
}: TestHostOptions): Promise<TestHost> {
  const lines: RequestLine[] = [];
  const operatorLines: string[] = [];
  const record = (message: string, facts: Record<string, unknown> = {}) =>
    void operatorLines.push([message, ...Object.values(facts).map(String)].join(' '));
  const log: OperatorLog = { info: record, warn: record, error: record };
  const metrics = createMetrics();
  const bus = createInProcessBus((error) => record('bus', { error }));
  const follower = createFeedFollower({ feed: createDatabaseFeed(db), bus, clock });
  const authority = createAuthority({ apiKeys: verifier, contents, leases, follower, bus, clock });
  await follower.pull();
  const tokens: TokenVerifier = createTokenVerifier({
    issuers: usualIssuer({ secrets: acceptedInTest }),
    clock,
  });
  const app = createHost({
    randomId: randomUUID,
    clientIpOf: (request) => request.socket.remoteAddress ?? '0.0.0.0',
    requestLog: { write: (line) => void lines.push(line), flush: () => {} },
    operatorLog: log,
    metrics,
  });
  return {
    app,
    db,
    bus,
    clock,
    metrics,
    authority,
    authenticator: createAuthenticator({
      apiKeys: authority.apiKeys,
      verifier,
      tokens,
      allowAnonymous: false,
      clock,
    }),
    ledger: createLedger({ db, bus, clock }),
    waitUntilApplied: appliedAtOnce,
    refusals: createRefusalLog(db, clock, (error) => record('refusals', { error })),
    usage: new UsageCounts(clock),
    log,
    lines,
    operatorLines,
    pull: () => follower.pull(),
  };
}
