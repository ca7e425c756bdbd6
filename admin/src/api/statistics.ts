import type { Api } from './api.ts';

/** Of one step, or of a longer time. */
export interface RequestFigures {
  count: number;
  perSecond: number;
  /** Milliseconds; null where nothing was measured. */
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  /** Of 1; null where there was no request. */
  clientErrorShare: number | null;
  serverErrorShare: number | null;
}

export interface RequestSeries {
  lastMinute: RequestFigures;
  lastHour: RequestFigures;
  /** Oldest first, one for each step; the last is still going on. */
  series: ({ at: string } & RequestFigures)[];
}

export interface PlayerFigures {
  reports: number;
  firstFrameP50Ms: number | null;
  firstFrameP95Ms: number | null;
  stallsPerReport: number | null;
}

/** A change of authority: whoever had a key by what was before shall have none. */
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
  /** Replicas that have not said that they applied it. */
  pending: string[];
}

export interface ConfigurationWarning {
  code: string;
  severity: 'warning' | 'notice';
  title: string;
  /** With what to do about it. */
  detail: string;
  /** A document of the project and a heading in it: `README.md#configuration`. */
  documentation: string;
}

/** The last hour in figures, kept in the memory of the server's processes. */
export interface Statistics {
  at: string;
  stepSeconds: number;
  keyRequests: RequestSeries;
  /** All requests, key requests included. */
  requests: RequestSeries;
  activeLeases: { count: number | null; series: { at: string; count: number }[] };
  player: { lastHour: PlayerFigures; series: ({ at: string } & PlayerFigures)[] };
  /** Newest first. */
  changes: AuthorityChange[];
  /** That derive keys. */
  replicas: { replica: string; startedAt: string }[];
  ready: boolean;
  dependencies: Record<string, { status: string } & Record<string, unknown>>;
  warnings: ConfigurationWarning[];
  /** Processes that did not answer in time: they are not in the figures. */
  missing: { service: string; address: string }[];
}

export async function readStatistics(api: Api, signal?: AbortSignal): Promise<Statistics> {
  const { statistics } = await api.request<{ statistics: Statistics }>('GET', '/api/v1/statistics', {
    signal,
  });
  return statistics;
}
