import { DurationCounts } from './duration-counts.ts';

/** The requests of one step. */
export class RequestCounts {
  count = 0;
  clientErrors = 0;
  serverErrors = 0;
  readonly durations = new DurationCounts();

  add(status: number, durationMs: number): void {
    this.count++;
    if (status >= 500) this.serverErrors++;
    // A client that left before its answer was refused nothing.
    else if (status >= 400 && status !== clientClosedRequest) this.clientErrors++;
    this.durations.add(durationMs);
  }
}

/** What the log line of such a request says. */
const clientClosedRequest = 499;

export type RequestKind = 'key' | 'other' | 'probe';

/** The second is how the gateway calls those that no service answered. */
const keyRoutes = ['/keys/:contentId', '/keys/:contentId/:epoch', '/keys/*'];
/** Asked by machines, many times a minute: they would water down the shares of errors. */
const probeRoutes = ['/health', '/ready'];

/** What a request counts as, by the pattern of its route. */
export function kindOfRequest(route: string, method: string): RequestKind {
  if (probeRoutes.includes(route)) return 'probe';
  return keyRoutes.includes(route) && (method === 'GET' || method === 'HEAD') ? 'key' : 'other';
}
