import type { Upstream } from '@latchkey/shared/upstream';

/** The services that the gateway forwards to. */
export const serviceNames = ['auth', 'content', 'leases', 'key-derivation', 'playback'] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The services that requests are forwarded to. One that this process mounts itself is left out. */
export type Upstreams = Readonly<{ auth: Upstream } & Partial<Record<ServiceName, Upstream>>>;

/** In the order of {@link serviceNames}. */
export function listUpstreams(upstreams: Upstreams): { name: ServiceName; upstream: Upstream }[] {
  return serviceNames.flatMap((name) => {
    const upstream = upstreams[name];
    return upstream ? [{ name, upstream }] : [];
  });
}

export interface RouteRow {
  path: string;
  service: ServiceName;
  /** Whether the service has only this path, and none below it. */
  exact?: true;
  /** The only methods that are for this service; all if left out. */
  methods?: readonly string[];
  /** Whether its answers are event streams. They use separate connections, or a few of them would leave none for calls. */
  streams?: true;
  /** For bodies that are larger than others may be. */
  bodyLimitBytes?: number;
  /** For work that takes longer than other requests. */
  answerLimitMs?: number;
}

/** For a content with a million viewers: each lease is written before the answer, at some 45 µs on Postgres. */
const revocationLimitMs = 60_000;

/** As `services/key-derivation` has it for CPIX documents. */
const cpixLimitBytes = 256 * 1024;

/** Which service answers a path: the path itself and, unless it is exact, every path below it. The longest match wins. */
export const routeTable: readonly RouteRow[] = [
  { path: '/keys', service: 'key-derivation' },
  // Exact: `/keys/leases/5` is the key of an epoch of a content that cannot exist, and gets the answer of key-derivation.
  { path: '/keys/leases', service: 'leases', exact: true },
  // POST alone: `GET /keys/sessions` is the key of a content with that id.
  { path: '/keys/sessions', service: 'leases', exact: true, methods: ['POST'] },
  { path: '/keys/leases/renew', service: 'leases', exact: true },
  { path: '/keys/leases/revoke', service: 'leases', exact: true, answerLimitMs: revocationLimitMs },
  { path: '/licenses', service: 'key-derivation' },
  { path: '/speke', service: 'key-derivation', bodyLimitBytes: cpixLimitBytes },
  { path: '/api/v1/key-decisions', service: 'key-derivation', exact: true },
  { path: '/api/v1/leases', service: 'leases' },
  { path: '/api/v1/marks', service: 'leases' },
  { path: '/api/v1/player-metrics', service: 'leases' },
  { path: '/api/v1/viewers', service: 'leases' },
  { path: '/api/v1/content', service: 'content' },
  // Not the content service: the document has keys in it.
  { path: '/api/v1/content/:id/cpix', service: 'key-derivation', exact: true },
  { path: '/api/v1/content/:id/vod-drm', service: 'key-derivation', exact: true },
  // Nor does it see a key that is imported: it stores what it cannot open.
  { path: '/api/v1/content/:id/keys', service: 'key-derivation' },
  { path: '/presign', service: 'content' },
  { path: '/play', service: 'playback' },
  { path: '/api/v1/setup', service: 'auth' },
  { path: '/api/v1/api-keys', service: 'auth' },
  { path: '/api/v1/audit', service: 'auth' },
  { path: '/api/v1/webhooks', service: 'auth' },
  { path: '/api/v1/usage', service: 'auth', exact: true },
  { path: '/api/v1/events', service: 'auth', exact: true, streams: true },
];
