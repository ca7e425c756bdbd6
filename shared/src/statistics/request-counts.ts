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
    // A client that left before its answer was not refused.
    else if (status >= 400 && status !== clientClosedRequest) this.clientErrors++;
    this.durations.add(durationMs);
  }
}

/** The members of such a request's log line that are counted. */
const clientClosedRequest = 499;

export type RequestKind = 'key' | 'lease' | 'other' | 'probe';

/** The second one is the gateway's name for requests that no service answered. */
const keyRoutes = ['/keys/:contentId', '/keys/:contentId/:epoch', '/keys/:contentId/kid/:kid', '/keys/*'];
/** A licence is asked for by POST (Encrypted Media Extensions). */
const licenseRoutes = ['/licenses/clearkey/:contentId', '/licenses/*'];
/** Called by machines, many times a minute: counting them would dilute the share of errors. */
const probeRoutes = ['/health', '/ready'];

/** Each path that creates, renews or ends leases begins with it. The lists for admins are below `/api/v1`. */
const leaseRoute = '/keys/leases';

/** The kind of a request, by the pattern of its route. */
export function kindOfRequest(route: string, method: string): RequestKind {
  if (probeRoutes.includes(route)) return 'probe';
  if (licenseRoutes.includes(route)) return method === 'POST' ? 'key' : 'other';
  if (route === leaseRoute || route.startsWith(`${leaseRoute}/`)) return 'lease';
  return keyRoutes.includes(route) && (method === 'GET' || method === 'HEAD') ? 'key' : 'other';
}
