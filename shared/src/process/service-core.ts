import { randomBytes, randomUUID } from 'node:crypto';
import {
  type CredentialSource,
  createAuthenticator,
  createKeyCredentials,
  createTokens,
  type FollowedKeySet,
  type KeyCredentials,
  type TokenSettings,
} from '../auth/index.ts';
import { type Authority, createAuthority } from '../authority/index.ts';
import { nameIssuerSetting } from '../config/index.ts';
import type { ApiKeyVerifier, ContentReader, ImportedKeyReader, LeaseReader } from '../contracts/index.ts';
import {
  type Bus,
  type ChangeFeed,
  createFeedFollower,
  type FeedFollower,
  pullIntervalMs,
} from '../events/index.ts';
import {
  createRateLimiter,
  createViewerCeiling,
  createWrongSessions,
  type GuardOptions,
  type RateLimits,
} from '../http/index.ts';
import { announceUnsure } from '../internal/index.ts';
import { Degraded, type Dependency } from '../lifecycle/index.ts';
import { boundCaches, type CachePlan, planCaches, readProcessMemory } from '../memory/index.ts';
import { createSharedLeaseSource, type SharedLeases } from '../replicas/index.ts';
import { acceptedSecrets, type Revealable } from '../seal/accepted-secrets.ts';
import { UsageCounts } from '../statistics/index.ts';
import type { Sharing } from './connect-stores.ts';
import { exportAuthority, exportFeed } from './export-gauges.ts';
import { feedFaultMessage, keySetFaultMessage, unusableKeysMessage } from './lost-service.ts';
import type { ProcessContext } from './process-context.ts';

/** For all jobs together: each ends its present transaction, which takes milliseconds. */
const jobsEndMs = 5_000;
/** One statement, or one call of a service. If it fails, waits for this process take their longest until it is dropped. */
const leaveMs = 2_000;
/** As many as a SHA-256 has. */
const ownSecretBytes = 32;
/** Changes from before the start that a replica reads, so that it can trust shared states at once. */
const recalledChanges = 5_000;

/** The configuration that authentication needs. */
interface CoreSettings extends TokenSettings, RateLimits {
  allowAnonymousViewers: boolean;
  authorityMaxAgeSeconds: number;
  viewerTokenFrom: readonly CredentialSource[];
  rateLimit: string;
  /** The single node has none. */
  internalSecret?: Revealable<string>;
  internalSecretPrevious?: Revealable<readonly string[]>;
}

interface CoreReaders {
  feed: ChangeFeed;
  bus: Bus;
  apiKeys: ApiKeyVerifier;
  /** Left out where the service decides nothing about contents or leases. */
  contents?: ContentReader;
  importedKeys?: ImportedKeyReader;
  leases?: LeaseReader | SharedLeases;
  /** The state that the replicas share; null if each replica keeps and counts its own. */
  sharing: Sharing | null;
}

/** The parts that a service is mounted on. In the single node, all services share one. */
export interface ServiceCore<Values> extends ProcessContext {
  values: Values;
  /** The states that decide, kept true by the change feed. */
  authority: Authority;
  follower: FeedFollower;
  guard: GuardOptions;
  keyCredentials: KeyCredentials;
  feed: ChangeFeed;
  bus: Bus;
  sharing: Sharing | null;
  /** The memory limits of this process's caches. */
  cacheBytes: CachePlan;
  /** Counts the requests for keys and leases that this process decides. */
  usage: UsageCounts;
}

const notRead = () => Promise.reject(new Error('this service has no reader of that'));
const noContents: ContentReader = { findContent: notRead };
const noLeases: LeaseReader = { findLease: notRead, findMark: notRead };

/** The one wiring of both profiles. Readers are clients of other processes, or the services' own objects. */
export async function createServiceCore<Values extends CoreSettings>(
  context: ProcessContext,
  values: Values,
  readers: CoreReaders,
): Promise<ServiceCore<Values>> {
  const { app, metrics, clock, warn, jobs, shutdown } = context;
  const { feed, bus, apiKeys, contents = noContents, importedKeys } = readers;
  const { leases = noLeases, sharing } = readers;
  const follower = followFeed(context, values, { feed, bus, sharing });
  if (context.isSeparate) {
    announceUnsure(app, follower.ageMs, follower.limitMs);
    // A service that no longer receives them still serves requests without cached states, and is retried by itself.
    context.dependencies.push(feedDependency(follower, { optional: true }));
  }
  const cacheBytes = planCaches(boundCaches(readProcessMemory()));
  const authority = createAuthority({
    apiKeys,
    ...(importedKeys ? { contents, importedKeys } : { contents }),
    leases: 'states' in leases ? createSharedLeaseSource(leases, follower, clock) : leases,
    follower,
    bus,
    clock,
    onLookup: metrics.countCacheLookup,
    cacheBytes,
  });
  const tokens = createTokens(values, {
    clock,
    maxBytes: cacheBytes.tokens,
    onFault: (issuer, error) =>
      warn(keySetFaultMessage(issuer.name, nameIssuerSetting(issuer, 'jwksUrl')), error),
    onUnusableKeys: (issuer, keys) =>
      warn(unusableKeysMessage(issuer.name, nameIssuerSetting(issuer, 'jwksUrl')), keys),
    shutdown,
  });
  context.dependencies.push(...(tokens?.keySets ?? []).map(keySetDependency));
  exportAuthority(metrics, { authority, tokens, plan: cacheBytes });
  const authenticator = createAuthenticator({
    apiKeys: authority.apiKeys,
    verifier: apiKeys,
    tokens,
    // If tokens are configured, a viewer must have one.
    allowAnonymous: tokens === null && values.allowAnonymousViewers,
    clock,
  });
  const onLimited = metrics.countRateLimited;
  const limiter =
    values.rateLimit === 'on'
      ? await createRateLimiter(app, values, { connection: sharing?.connection, onLimited })
      : null;
  jobs.repeat({
    everyMs: pullIntervalMs(follower.limitMs),
    run: () => follower.pull(),
    failed: feedFaultMessage,
    interrupt: () => follower.stop(),
  });
  shutdown.add('jobs', jobsEndMs, () => jobs.stop());
  const keyCredentials = createKeyCredentials({
    // In the single node, content and key-derivation share this object, so a secret of the process is enough.
    secrets: values.internalSecret
      ? acceptedSecrets(values.internalSecret, values.internalSecretPrevious)
      : [randomBytes(ownSecretBytes).toString('hex')],
    clock,
    randomBytes,
  });
  const wrongSessions = createWrongSessions({ leases: authority.leases, clock });
  const viewerSources = values.viewerTokenFrom;
  const ceiling = createViewerCeiling(clock, onLimited);
  const guard = { authenticator, limiter, ceiling, viewerSources, keyCredentials, wrongSessions };
  return {
    ...context,
    ...{ values, authority, follower, guard, keyCredentials, feed, bus, sharing, cacheBytes },
    usage: new UsageCounts(clock),
  };
}

/** Follows the changes, and measures how late they are applied. */
function followFeed(
  { clock, metrics, shutdown }: ProcessContext,
  { authorityMaxAgeSeconds }: Pick<CoreSettings, 'authorityMaxAgeSeconds'>,
  { feed, bus, sharing }: Pick<CoreReaders, 'feed' | 'bus' | 'sharing'>,
): FeedFollower {
  const process = feed.followers && (feed.followers.self ?? randomUUID());
  const follower = createFeedFollower({
    feed,
    bus,
    clock,
    limitMs: authorityMaxAgeSeconds * 1_000,
    process,
    onApplied(number, at, change) {
      const delayMs = metrics.statistics.noteChange(number, at, change);
      if (delayMs !== null) metrics.revocationDelay.observe(delayMs / 1_000);
    },
    ...(sharing ? { record: sharing.recent, recalledChanges } : {}),
  });
  // A database that was put back uses numbers again.
  follower.onChange((change) => change === null && metrics.statistics.forgetNumbers());
  // After the requests under way and the jobs.
  shutdown.add('the list of followers', leaveMs, async () => {
    // If the services end at the same time, nobody is left to tell.
    if (process !== undefined) await feed.followers?.leave(process).catch(() => {});
  });
  exportFeed(metrics.registry, follower);
  metrics.statistics.feed = follower;
  return follower;
}

/**
 * Whether this process receives changes. Without them no state is known and no key is served, however healthy the process
 * is.
 */
export function feedDependency(follower: FeedFollower, { optional }: { optional: boolean }): Dependency {
  return {
    name: 'feed',
    optional,
    check: async () => {
      const ageMs = follower.ageMs();
      if (ageMs === null || ageMs > follower.limitMs)
        throw new Error(ageMs === null ? 'not read yet' : 'not read within the limit');
      return undefined;
    },
  };
}

/** An issuer whose tokens need a key set. API keys, sessions and the tokens of other issuers are checked without it. */
function keySetDependency({ issuer, state }: FollowedKeySet): Dependency {
  return {
    name: `issuer:${issuer}`,
    optional: true,
    check: async () => {
      const found = state();
      if (found === 'lost') throw new Error('its key set cannot be fetched, so its tokens get 503');
      if (found === 'old')
        throw new Degraded('its key set cannot be fetched, so the last one is used for an hour', {});
      return found === 'pending' ? { status: 'unknown' } : undefined;
    },
  };
}
