import type { RequestSource } from '../load/request-source.ts';
import type { Subject } from '../servers.ts';

/** A server whose answers to key requests are measured, with the requests that it gets. */
export interface KeySubject extends Pick<Subject, 'name' | 'pid' | 'stop'> {
  port: number;
  source: RequestSource;
  /** The process that it forwards to. It gets a core of its own, and its time does not count. */
  upstreamPid?: number;
}
