import type { Api } from './api.ts';

/** Figures of one step, or of a longer period. */
export interface RequestFigures {
  count: number;
  perSecond: number;
  /** Milliseconds; null without a measurement. */
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  /** 0 to 1; null without a request. */
  clientErrorShare: number | null;
  serverErrorShare: number | null;
}

interface RequestSeries {
  lastMinute: RequestFigures;
  lastHour: RequestFigures;
  /** Oldest first, one for each step. The last step is not over. */
  series: ({ at: string } & RequestFigures)[];
}

interface PlayerFigures {
  reports: number;
  firstFrameP50Ms: number | null;
  firstFrameP95Ms: number | null;
  stallsPerReport: number | null;
}

/** A change that can take access away. All replicas must apply it. */
export interface AuthorityChange {
  number: number;
  at: string;
  /** `leases` is a revocation. */
  kind: 'leases' | 'api-key' | 'content';
  leaseId: string | null;
  viewerId: string | null;
  contentId: string | null;
  /** The longest of the delays. */
  slowestMs: number | null;
  reached: { replica: string; delayMs: number }[];
  /** Replicas that have not confirmed it. */
  pending: string[];
}

export interface ConfigurationWarning {
  code: string;
  severity: 'warning' | 'notice';
  title: string;
  /** Includes what to do about it. */
  detail: string;
  /** A document of the project and a heading in it: `README.md#configuration`. */
  documentation: string;
}

/** A refused request for a key or a lease. */
export interface Refusal {
  at: string;
  kind: 'key' | 'lease';
  status: number;
  code: string;
  /** Null where no credential was accepted, and for a session. */
  viewerId: string | null;
  /** The `iat` of its token; null if the token had none. Missing if the server kept nothing of a token. */
  issuedAt?: string | null;
  /** Contents that its token opened, ten at most; null if it opened all. Missing as `issuedAt`. */
  contentIds?: string[] | null;
  apiKeyId: string | null;
  contentId: string | null;
  epoch: number | null;
  leaseId: string | null;
  clientIp: string;
  requestId: string;
  /** The service and address of the process that refused. */
  process: string;
}

/** A problem that needs attention, as the server finds it. */
export interface Concern {
  id: string;
  severity: 'bad' | 'warning';
  title: string;
  /** What to do. */
  advice: string;
}

/** Figures of the last hour, from the memory of the server's processes. */
export interface Statistics {
  at: string;
  stepSeconds: number;
  keyRequests: RequestSeries;
  /** Requests for keys and leases. The calls of open dashboards are not among them. */
  playbackRequests: RequestSeries;
  /** All requests, including key requests. */
  requests: RequestSeries;
  activeLeases: { count: number | null; series: { at: string; count: number }[] };
  /** Leases that players returned, or that a newer one replaced. */
  endedLeases: { lastHour: number };
  player: { lastHour: PlayerFigures; series: ({ at: string } & PlayerFigures)[] };
  /** Newest first. */
  changes: AuthorityChange[];
  /** The key-derivation replicas. */
  replicas: { replica: string; startedAt: string }[];
  ready: boolean;
  dependencies: Record<string, { status: string } & Record<string, unknown>>;
  /** All current problems, worst first. */
  concerns: Concern[];
  warnings: ConfigurationWarning[];
  /** Processes that did not answer in time. The figures do not include them. */
  missing: { service: string; address: string }[];
}

export async function readStatistics(api: Api, signal?: AbortSignal): Promise<Statistics> {
  const { statistics } = await api.request<{ statistics: Statistics }>('GET', '/api/v1/statistics', {
    signal,
  });
  return statistics;
}

/** As many as the server gives. */
const mostRefusals = 500;

/** The latest refusals of all processes that answered, newest first. */
export async function listRefusals(api: Api, signal?: AbortSignal): Promise<Refusal[]> {
  const { statistics } = await api.request<{ statistics: { refusals: Refusal[] } }>(
    'GET',
    '/api/v1/statistics',
    { query: { steps: 1, refusals: mostRefusals }, signal },
  );
  return statistics.refusals;
}
