import { createRefusalLog } from '../audit/index.ts';
import type { CredentialSource } from '../auth/index.ts';
import { createAuthenticator, createTokens, type TokenSettings } from '../auth/index.ts';
import { type Authority, createAuthority } from '../authority/index.ts';
import type { ApiKeyVerifier, ContentReader, LeaseReader } from '../contracts/index.ts';
import type { Database } from '../db/index.ts';
import {
  type Bus,
  type ChangeFeed,
  createFeedFollower,
  createLedger,
  type FeedFollower,
  pullIntervalMs,
} from '../events/index.ts';
import { createRateLimiter, type GuardOptions, type RateLimits, type RouteOptions } from '../http/index.ts';
import { announceUnsure } from '../internal/index.ts';
import { everyMs } from '../lifecycle/index.ts';
import { createRepeatedWarnings } from '../log/index.ts';
import { boundCaches, planCaches, readProcessMemory } from '../memory/index.ts';
import { createSharedLeaseSource, type SharedLeases } from '../replicas/index.ts';
import type { Sharing } from './connect-state-store.ts';
import type { ServiceContext } from './run-service.ts';
import { feedDependency } from './service-database.ts';

const jobEndMs = 5_000;
/** Changes from before the start that a replica reads, so that it may believe shared states at once. */
const recalledChanges = 5_000;

/** What authenticating reads of the configuration. */
export interface CoreSettings extends TokenSettings, RateLimits {
  allowAnonymousViewers: boolean;
  authorityMaxAgeSeconds: number;
  viewerTokenFrom: readonly CredentialSource[];
  rateLimit: string;
}

export interface CoreReaders {
  feed: ChangeFeed;
  bus: Bus;
  apiKeys: ApiKeyVerifier;
  /** Left out where the service decides nothing about contents or leases. */
  contents?: ContentReader;
  leases?: LeaseReader | SharedLeases;
  /** What the replicas share; null where each keeps and counts its own. */
  sharing: Sharing | null;
}

/** What every service stands on once its neighbours are known: states kept true by the feed, and who may. */
export interface ServiceCore {
  authority: Authority;
  follower: FeedFollower;
  guard: GuardOptions;
}

const notRead = () => Promise.reject(new Error('this service has no reader of that'));
const noContents: ContentReader = { findContent: notRead };
const noLeases: LeaseReader = { findLease: notRead, findMark: notRead };

export async function createServiceCore(
  context: Pick<ServiceContext<never>, 'service' | 'clock' | 'log' | 'shutdown' | 'dependencies'>,
  values: CoreSettings,
  { feed, bus, apiKeys, contents = noContents, leases = noLeases, sharing }: CoreReaders,
): Promise<ServiceCore> {
  const { service, clock, log, shutdown } = context;
  const { metrics, app } = service;
  const follower = createFeedFollower({
    feed,
    bus,
    clock,
    limitMs: values.authorityMaxAgeSeconds * 1_000,
    onDelay: (delayMs) => metrics.revocationDelay.observe(delayMs / 1_000),
    onApplied: (number, at, change) => metrics.statistics.noteChange(number, at, change),
    ...(sharing ? { record: sharing.recent, recalledChanges } : {}),
  });
  announceUnsure(app, follower.ageMs, follower.limitMs);
  context.dependencies.push(feedDependency(follower));
  const cacheBytes = planCaches(boundCaches(readProcessMemory()));
  const authority = createAuthority({
    apiKeys,
    contents,
    leases: 'states' in leases ? createSharedLeaseSource(leases, follower, clock) : leases,
    follower,
    bus,
    clock,
    onLookup: metrics.countCacheLookup,
    cacheBytes,
  });
  const warn = createRepeatedWarnings(log, clock);
  const tokens = createTokens(values, {
    clock,
    maxBytes: cacheBytes.tokens,
    onFault: (error) => warn('the key set of viewer tokens could not be fetched', error),
    shutdown,
  });
  const authenticator = createAuthenticator({
    apiKeys: authority.apiKeys,
    verifier: apiKeys,
    tokens,
    // Where tokens are configured, a viewer without one is nobody.
    allowAnonymous: tokens === null && values.allowAnonymousViewers,
    clock,
  });
  const limiter =
    values.rateLimit === 'on' ? await createRateLimiter(app, values, sharing?.connection) : null;
  const pulls = everyMs(
    pullIntervalMs(follower.limitMs),
    () => follower.pull(),
    (error) => warn('the change feed could not be read', error),
  );
  shutdown.add('following the change feed', jobEndMs, async () => {
    follower.stop();
    await pulls.stop();
  });
  return { authority, follower, guard: { authenticator, limiter, viewerSources: values.viewerTokenFrom } };
}

/** What the routes of a service that keeps rows are made from. */
export function createRouteOptions(
  { clock, log }: Pick<ServiceContext<never>, 'clock' | 'log'>,
  { db, bus, guard, randomId }: { db: Database; bus: Bus; guard: GuardOptions; randomId: () => string },
): RouteOptions {
  const warn = createRepeatedWarnings(log, clock);
  return {
    db,
    ledger: createLedger({ db, bus, clock }),
    clock,
    randomId,
    refusals: createRefusalLog(db, clock, (error) => warn('refusals could not be recorded', error)),
    guard,
  };
}
