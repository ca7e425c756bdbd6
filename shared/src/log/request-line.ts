import type { LoggedRevocation } from '../contracts/index.ts';

/** Which process wrote a line. In every line of both logs. */
export interface ProcessIdentity {
  /** Such as `gateway`, `leases` or `single-node`. */
  service: string;
  /** The release. */
  version: string;
  /** Differs between processes that run at the same time: the name of the machine or container, and the process id. */
  instance: string;
}

/** Why a request was answered with a 5xx. */
export interface RequestFailure {
  /** The cause in a few words: `ECONNREFUSED connect ECONNREFUSED 10.0.0.7:5432`. */
  cause: string;
  /** The service that failed or did not answer; ` > ` leads to what that one called. Null if the process itself failed. */
  upstream: string | null;
  /** How often it was tried, at one address or several; null if no service was called. */
  tries: number | null;
}

/** One line for one request (`docs/reference/contract.md#request-log`). */
export interface RequestLine {
  requestId: string;
  method: string;
  /** The URL, with every query value hidden. */
  path: string;
  /** The pattern of the route; null where none matched. */
  route: string | null;
  status: number;
  durationMs: number;
  /** Null where `LOG_CLIENT_IP` hides it. */
  clientIp: string | null;
  userAgent: string | null;
  principal: { kind: string; id: string | null } | null;
  code: string | null;
  /** Left out where the request belongs to no trace. */
  traceId?: string;
  /** Only of a 5xx. */
  failure?: RequestFailure;
  /** Only of a request that revoked something. */
  revocation?: LoggedRevocation;
}
