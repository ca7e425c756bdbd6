import { changing, counter, gauge, type History } from './made-up-series.ts';

/** Series by their name and labels. */
export type World = Readonly<Record<string, History>>;

/** A fault for one alert, in figures that Prometheus would read. */
export interface AlertCase {
  alert: string;
  /** Series that differ from the series of the healthy installation. */
  broken: World;
  /** Other alerts that the same figures must raise. */
  also?: readonly string[];
  /** An alert that the same figures must never raise, not even after their end. */
  never?: string;
  /** 30 by default. */
  brokenMinutes?: number;
  /** 60 by default; longer for an alert with long windows. */
  mendedMinutes?: number;
}

const duration = 'http_server_request_duration_seconds';
const requests = (route: string, status: string) =>
  `${duration}_count{${gateway},route="${route}",status="${status}"}`;
const keyBucket = (le: string) =>
  `${duration}_bucket{${gateway},route="/keys/:contentId",status="200",le="${le}"}`;
const delay = (process: string, end: string) =>
  `latchkey_revocation_delay_seconds${end.replace('$', process)}`;
const player = (metric: string, le: string) => `latchkey_player_${metric}_bucket{${leases},le="${le}"}`;
const playerCount = (metric: string) => `latchkey_player_${metric}_count{${leases}}`;
const built = (process: string) => `latchkey_build_info{${process},version="0.3.0"}`;
const up = (dependency: string, process: string) =>
  `latchkey_dependency_up{${process},dependency="${dependency}"}`;
const degraded = (dependency: string, process: string) =>
  `latchkey_dependency_degraded{${process},dependency="${dependency}"}`;
const labels = (service: string, host: string) =>
  `job="latchkey",instance="${host}:9464",service="${service}"`;
const gateway = labels('gateway', 'gateway-1');
const replica = labels('key-derivation', 'replica-1');
const otherReplica = labels('key-derivation', 'replica-2');
const leases = labels('leases', 'leases-1');

const auditFailures = `latchkey_audit_failures_total{${leases}}`;

const keys = '/keys/:contentId';
/** Ten a second. */
const usual = 600;
/** Enough that one process with few changes is no share of all. */
const manyChanges = 6_000;

/** All is well: two replicas behind a gateway, and a lease service. */
export const healthy: World = {
  [requests(keys, '200')]: counter(usual),
  [requests('/play/:sid/:name', '200')]: counter(usual),
  [requests('/keys/leases', '201')]: counter(usual),
  ...Object.fromEntries(['0.1', '0.5', '1', '+Inf'].map((le) => [keyBucket(le), counter(usual)])),
  ...Object.fromEntries(
    [replica, leases].flatMap((process) => [
      [delay(process, '_count{$}'), counter(manyChanges)],
      [delay(process, '_bucket{$,le="2.5"}'), counter(manyChanges)],
    ]),
  ),
  ...Object.fromEntries(
    [gateway, replica, otherReplica, leases].flatMap((process) => [
      [built(process), gauge(1)],
      [`up{${process.replace(/,service=.*/, '')}}`, gauge(1)],
      [`process_start_time_seconds{${process}}`, gauge(1)],
    ]),
  ),
  [`latchkey_feed_age_seconds{${replica}}`]: gauge(1),
  [`latchkey_feed_limit_seconds{${replica}}`]: gauge(5),
  [`latchkey_replica_unsure{${replica}}`]: gauge(0),
  [up('database', leases)]: gauge(1),
  [degraded('database', leases)]: gauge(0),
  [up('cache', replica)]: gauge(1),
  [degraded('bus', replica)]: gauge(0),
  [up('bus', replica)]: gauge(1),
  [up('leases', gateway)]: gauge(1),
  [`latchkey_token_keys_age_seconds{${replica}}`]: gauge(240),
  // Prometheus' made-up time begins at 0, so this is 60 days later.
  [`latchkey_certificate_expiry_timestamp_seconds{${replica},file="tls.crt"}`]: gauge(60 * 86_400),
  [`latchkey_disk_free_bytes{${leases}}`]: gauge(50),
  [`latchkey_disk_size_bytes{${leases}}`]: gauge(100),
  [auditFailures]: counter(0),
  [player('key_fetch_seconds', '0.1')]: counter(10),
  [player('key_fetch_seconds', '0.5')]: counter(10),
  [player('key_fetch_seconds', '1')]: counter(10),
  [player('key_fetch_seconds', '+Inf')]: counter(10),
  [playerCount('key_fetch_seconds')]: counter(10),
  [player('time_to_first_frame_seconds', '2')]: counter(10),
  [player('time_to_first_frame_seconds', '5')]: counter(10),
  [player('time_to_first_frame_seconds', '+Inf')]: counter(10),
  [playerCount('time_to_first_frame_seconds')]: counter(10),
  [player('decrypt_seconds', '0.005')]: counter(10),
  [player('decrypt_seconds', '0.01')]: counter(10),
  [player('decrypt_seconds', '+Inf')]: counter(10),
  [playerCount('decrypt_seconds')]: counter(10),
  [player('stalls', '0')]: counter(10),
  [player('stalls', '+Inf')]: counter(10),
  [playerCount('stalls')]: counter(10),
};

/** Above the longest short window of a burn rate, 6 h. */
const pastSixHours = 6 * 60 + 15;
/** So long that the share of a day is near the share of the fault, with a short healthy time before. */
const fourHours = 4 * 60;

/** One for each alert. */
export const alertCases: readonly AlertCase[] = [
  {
    // 5 % of failures.
    alert: 'LatchkeyKeysBurnFast',
    broken: { [requests(keys, '503')]: counter(0, usual / 19) },
    also: ['LatchkeyKeysBurnSlow', 'LatchkeyKeysFail'],
    mendedMinutes: pastSixHours,
  },
  {
    // 0.4 %: below 6 times the budget.
    alert: 'LatchkeyKeysBurnSlow',
    broken: { [requests(keys, '503')]: counter(0, usual / 249) },
    also: ['LatchkeyKeysFail'],
    brokenMinutes: fourHours,
    mendedMinutes: pastSixHours,
  },
  {
    alert: 'LatchkeyRevocationsBurnFast',
    broken: Object.fromEntries(
      [replica, leases].map((process) => [
        delay(process, '_bucket{$,le="2.5"}'),
        counter(manyChanges, manyChanges * 0.95),
      ]),
    ),
    also: ['LatchkeyRevocationsBurnSlow', 'LatchkeyRevocationsLate'],
    mendedMinutes: pastSixHours,
  },
  {
    // 0.5 %: enough for a slow burn, too little for a process to be late.
    alert: 'LatchkeyRevocationsBurnSlow',
    broken: Object.fromEntries(
      [replica, leases].map((process) => [
        delay(process, '_bucket{$,le="2.5"}'),
        counter(manyChanges, manyChanges * 0.995),
      ]),
    ),
    brokenMinutes: fourHours,
    mendedMinutes: pastSixHours,
  },
  {
    // 0.2 %: the budget is spent twice as fast as it may be.
    alert: 'LatchkeyKeysFail',
    broken: { [requests(keys, '503')]: counter(0, usual / 499) },
    also: ['LatchkeyKeysBurnSlow'],
    brokenMinutes: 60,
    mendedMinutes: pastSixHours,
  },
  { alert: 'LatchkeyKeysRefused', broken: { [requests(keys, '403')]: counter(0, usual / 10) } },
  { alert: 'LatchkeyKeysSlow', broken: { [keyBucket('0.1')]: counter(usual, usual * 0.8) } },
  {
    alert: 'LatchkeyKeysVerySlow',
    broken: {
      [keyBucket('0.1')]: counter(usual, 0),
      [keyBucket('0.5')]: counter(usual, usual / 2),
    },
    also: ['LatchkeyKeysSlow'],
  },
  {
    alert: 'LatchkeyPlayerKeysSlow',
    broken: {
      [player('key_fetch_seconds', '0.1')]: counter(10, 5),
      [player('key_fetch_seconds', '0.5')]: counter(10, 8),
    },
  },
  {
    alert: 'LatchkeyFirstFrameLate',
    broken: { [player('time_to_first_frame_seconds', '2')]: counter(10, 8) },
    brokenMinutes: 60,
    mendedMinutes: 90,
  },
  {
    alert: 'LatchkeyDecryptSlow',
    broken: { [player('decrypt_seconds', '0.005')]: counter(10, 8) },
    brokenMinutes: 60,
    mendedMinutes: 90,
  },
  {
    alert: 'LatchkeyPlayersStall',
    broken: { [player('stalls', '0')]: counter(10, 8) },
    brokenMinutes: 60,
    mendedMinutes: 90,
  },
  { alert: 'LatchkeyPlaylistsFail', broken: { [requests('/play/*', '503')]: counter(0, 6) } },
  { alert: 'LatchkeyChangesFail', broken: { [requests('/keys/leases/revoke', '503')]: counter(0, 6) } },
  {
    // One replica with few changes, so that hardly one change of all replicas is late.
    alert: 'LatchkeyRevocationsLate',
    broken: {
      [delay(otherReplica, '_count{$}')]: counter(1),
      [delay(otherReplica, '_bucket{$,le="2.5"}')]: counter(1, 0.5),
    },
  },
  { alert: 'LatchkeyFeedOld', broken: { [`latchkey_feed_age_seconds{${replica}}`]: gauge(1, 4) } },
  {
    alert: 'LatchkeyReplicaUnsure',
    broken: {
      [`latchkey_feed_age_seconds{${replica}}`]: gauge(1, 60),
      [`latchkey_replica_unsure{${replica}}`]: gauge(0, 1),
    },
  },
  {
    alert: 'LatchkeyDatabaseDown',
    broken: { [up('database', leases)]: gauge(1, 0), [auditFailures]: counter(0, 1) },
    never: 'LatchkeyAuditNotWritten',
  },
  {
    alert: 'LatchkeyDatabaseReadOnly',
    broken: { [degraded('database', leases)]: gauge(0, 1), [auditFailures]: counter(0, 1) },
    never: 'LatchkeyAuditNotWritten',
  },
  { alert: 'LatchkeyRedisDown', broken: { [up('cache', replica)]: gauge(1, 0) } },
  { alert: 'LatchkeyNatsDown', broken: { [degraded('bus', replica)]: gauge(0, 1) } },
  { alert: 'LatchkeyServiceUnreachable', broken: { [up('leases', gateway)]: gauge(1, 0) } },
  {
    alert: 'LatchkeyTokenKeysStale',
    broken: { [`latchkey_token_keys_age_seconds{${replica}}`]: gauge(240, 2_000) },
  },
  { alert: 'LatchkeyDiskNearlyFull', broken: { [`latchkey_disk_free_bytes{${leases}}`]: gauge(50, 5) } },
  {
    alert: 'LatchkeyCertificateExpires',
    broken: {
      [`latchkey_certificate_expiry_timestamp_seconds{${replica},file="tls.crt"}`]: gauge(
        60 * 86_400,
        10 * 86_400,
      ),
    },
    brokenMinutes: 90,
  },
  {
    alert: 'LatchkeyAuditNotWritten',
    broken: { [auditFailures]: counter(0, 1) },
  },
  { alert: 'LatchkeyProcessDown', broken: { 'up{job="latchkey",instance="replica-2:9464"}': gauge(1, 0) } },
  { alert: 'LatchkeyServiceAbsent', broken: { [built(leases)]: gauge(1, null) } },
  { alert: 'LatchkeyProcessRestarts', broken: { [`process_start_time_seconds{${leases}}`]: changing(4) } },
  {
    alert: 'LatchkeyNotObserved',
    broken: Object.fromEntries(
      [gateway, replica, otherReplica, leases].map((process) => [built(process), gauge(1, null)]),
    ),
    also: ['LatchkeyServiceAbsent'],
  },
];
