/** The services that the gateway forwards to. */
export const serviceNames = ['auth', 'content', 'leases', 'key-derivation'] as const;

export type ServiceName = (typeof serviceNames)[number];

export interface RouteRow {
  path: string;
  service: ServiceName;
  /** Whether what is below the path is not the service's. */
  exact?: true;
  /** Whether its answers have no end. They have connections of their own, or a few watchers would leave none for calls. */
  streams?: true;
  /** For work that rightly takes longer than other requests. */
  answerLimitMs?: number;
}

/** A content with a million viewers: each lease is written, at some 45 µs on Postgres, before the answer may leave. */
const revocationLimitMs = 60_000;

/** Which service answers which path: the path itself and, unless it is exact, everything below it. The longer path wins. */
export const routeTable: readonly RouteRow[] = [
  { path: '/keys', service: 'key-derivation' },
  // Exact: `/keys/leases/5` is the key of an epoch of a content that cannot exist, and gets the answer of key-derivation.
  { path: '/keys/leases', service: 'leases', exact: true },
  { path: '/keys/leases/renew', service: 'leases', exact: true },
  { path: '/keys/leases/revoke', service: 'leases', exact: true, answerLimitMs: revocationLimitMs },
  { path: '/api/v1/leases', service: 'leases' },
  { path: '/api/v1/player-metrics', service: 'leases' },
  { path: '/api/v1/content', service: 'content' },
  { path: '/presign', service: 'content' },
  { path: '/api/v1/setup', service: 'auth' },
  { path: '/api/v1/api-keys', service: 'auth' },
  { path: '/api/v1/audit', service: 'auth' },
  { path: '/api/v1/events', service: 'auth', exact: true, streams: true },
];
