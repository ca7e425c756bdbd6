import type { Registry } from 'prom-client';
import type { createTokens } from '../auth/index.ts';
import type { Authority } from '../authority/index.ts';
import type { PoolUsage } from '../db/index.ts';
import { readDiskSpace } from '../db/read-disk-space.ts';
import type { FeedFollower } from '../events/index.ts';
import { type Readiness, type ReadyReport, withTimeLimit } from '../lifecycle/index.ts';
import type { CachePlan } from '../memory/index.ts';
import { addGauge, type Metrics } from '../metrics/metrics.ts';
import type { TlsFiles } from '../tls/index.ts';

/**
 * Probes of load balancers and of Kubernetes come more often than this, and a scrape then shares their answer. Without probes a scrape makes
 * one round of checks.
 */
const readyHoldsMs = 5_000;

/**
 * How long a scrape waits for checks that run. A dependency that hangs lets them take 2 s, and a Prometheus that scrapes more
 * often than that would take the whole process for lost.
 */
const scrapeWaitsMs = 250;

/** Exports what `/ready` says. While its checks hang, that is what it said last. */
export function exportReadiness(registry: Registry, { report }: Pick<Readiness, 'report'>): void {
  let last: ReadyReport | null = null;

  async function latest(): Promise<ReadyReport> {
    const running = report(readyHoldsMs).then((result) => {
      last = result;
      return result;
    });
    if (!last) return running;
    return withTimeLimit(scrapeWaitsMs, running).catch(() => last ?? running);
  }

  addGauge(registry, 'latchkey_ready', async () => ((await latest()).ready ? 1 : 0));
  /** @param isSo whether a status counts. An unknown one says nothing */
  const byDependency = async (isSo: (status: string) => boolean) =>
    Object.entries((await latest()).dependencies).flatMap(([dependency, { status }]) =>
      status === 'unknown' || dependency === 'process'
        ? []
        : ([[{ dependency }, isSo(status) ? 1 : 0]] as const),
    );
  addGauge(registry, 'latchkey_dependency_up', () => byDependency((status) => status !== 'down'));
  addGauge(registry, 'latchkey_dependency_degraded', () => byDependency((status) => status === 'degraded'));
}

/** Exports how far the change feed was followed. */
export function exportFeed(registry: Registry, { ageMs, limitMs }: FeedFollower): void {
  addGauge(registry, 'latchkey_feed_age_seconds', () => {
    const age = ageMs();
    return age === null ? null : age / 1_000;
  });
  addGauge(registry, 'latchkey_feed_limit_seconds', () => limitMs / 1_000);
  addGauge(registry, 'latchkey_replica_unsure', () =>
    (ageMs() ?? Number.POSITIVE_INFINITY) > limitMs ? 1 : 0,
  );
}

/** A cache with its number of entries and their estimated bytes. */
interface MeasuredCache {
  readonly size: number;
  readonly bytes: number;
}

/** Exports the size of a cache and of what fits into it. */
export function exportCache(registry: Registry, name: string, cache: MeasuredCache, maxBytes: number): void {
  const labels = { cache: name };
  addGauge(registry, 'latchkey_cache_entries', () => [[labels, cache.size]]);
  addGauge(registry, 'latchkey_cache_entries_max', () =>
    cache.bytes === 0 ? null : [[labels, Math.floor((maxBytes * cache.size) / cache.bytes)]],
  );
  addGauge(registry, 'latchkey_cache_bytes', () => [[labels, cache.bytes]]);
  addGauge(registry, 'latchkey_cache_bytes_max', () => [[labels, maxBytes]]);
}

/** Exports the caches of authority and of tokens, and the ages of the key sets, of which the statistics show the greatest. */
export function exportAuthority(
  { registry, statistics }: Pick<Metrics, 'registry' | 'statistics'>,
  {
    authority,
    tokens,
    plan,
  }: { authority: Authority; tokens: ReturnType<typeof createTokens>; plan: CachePlan },
): void {
  for (const name of ['apiKeys', 'contents', 'importedKeys', 'leases', 'marks'] as const)
    exportCache(registry, name, authority[name], plan[name]);
  if (!tokens) return;
  exportCache(registry, 'tokens', tokens.remembered, plan.tokens);
  const { keySets } = tokens;
  if (keySets.length === 0) return;
  statistics.keySetAgeMs = () => Math.max(...keySets.map(({ ageMs }) => ageMs()));
  addGauge(registry, 'latchkey_token_keys_age_seconds', () =>
    keySets.map(({ issuer, ageMs }) => [{ issuer }, ageMs() / 1_000] as const),
  );
}

/** Exports the connections to Postgres. */
export function exportPool(registry: Registry, usage: () => PoolUsage): void {
  addGauge(registry, 'latchkey_database_connections', () => {
    const { used, idle } = usage();
    return [
      [{ state: 'used' }, used],
      [{ state: 'idle' }, idle],
    ];
  });
  addGauge(registry, 'latchkey_database_connections_max', () => usage().max);
  addGauge(registry, 'latchkey_database_waiting', () => usage().waiting);
}

/** Exports the space of the file system that a SQLite file is on. */
export function exportDisk(registry: Registry, sqlitePath: string): void {
  addGauge(registry, 'latchkey_disk_free_bytes', async () => (await readDiskSpace(sqlitePath)).freeBytes);
  addGauge(registry, 'latchkey_disk_size_bytes', async () => (await readDiskSpace(sqlitePath)).sizeBytes);
}

/**
 * Exports when the certificates expire that this process uses for TLS.
 *
 * @param files may grow later
 */
export function exportCertificates(registry: Registry, files: readonly TlsFiles[]): void {
  addGauge(registry, 'latchkey_certificate_expiry_timestamp_seconds', () =>
    files.flatMap((each) =>
      each.expiries().map(({ file, expiresAt }) => [{ file }, expiresAt / 1_000] as const),
    ),
  );
}
