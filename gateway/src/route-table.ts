/** The services that the gateway forwards to. */
export const serviceNames = ['auth', 'content', 'leases', 'key-derivation'] as const;

export type ServiceName = (typeof serviceNames)[number];

/** Which service answers which path: the path itself and everything below it. The longer path wins. */
export const routeTable: readonly { path: string; service: ServiceName }[] = [
  { path: '/keys', service: 'key-derivation' },
  { path: '/keys/leases', service: 'leases' },
  { path: '/api/v1/leases', service: 'leases' },
  { path: '/api/v1/player-metrics', service: 'leases' },
  { path: '/api/v1/content', service: 'content' },
  { path: '/presign', service: 'content' },
  { path: '/api/v1/setup', service: 'auth' },
  { path: '/api/v1/api-keys', service: 'auth' },
  { path: '/api/v1/audit', service: 'auth' },
  { path: '/api/v1/events', service: 'auth' },
];
