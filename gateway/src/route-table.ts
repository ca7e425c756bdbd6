/** The services that the gateway forwards to. */
export const serviceNames = ['auth', 'content', 'leases', 'key-derivation'] as const;

export type ServiceName = (typeof serviceNames)[number];

export interface RouteRow {
  path: string;
  service: ServiceName;
  /** For work that rightly takes longer than other requests. */
  answerLimitMs?: number;
}

/** A content with a million viewers: each lease is written, at some 45 µs on Postgres, before the answer may leave. */
const revocationLimitMs = 60_000;

/** Which service answers which path: the path itself and everything below it. The longer path wins. */
export const routeTable: readonly RouteRow[] = [
  { path: '/keys', service: 'key-derivation' },
  { path: '/keys/leases', service: 'leases' },
  { path: '/keys/leases/revoke', service: 'leases', answerLimitMs: revocationLimitMs },
  { path: '/api/v1/leases', service: 'leases' },
  { path: '/api/v1/player-metrics', service: 'leases' },
  { path: '/api/v1/content', service: 'content' },
  { path: '/presign', service: 'content' },
  { path: '/api/v1/setup', service: 'auth' },
  { path: '/api/v1/api-keys', service: 'auth' },
  { path: '/api/v1/audit', service: 'auth' },
  { path: '/api/v1/events', service: 'auth' },
];
