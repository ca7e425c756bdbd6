import type { Access, NamedContents } from '../auth/index.ts';
import type { LoggedRevocation, Principal } from '../contracts/index.ts';
import type { ErrorCode } from '../errors/errors.ts';
import type { RequestFailure } from '../log/index.ts';
import type { LimitName } from './rate-limit.ts';
import type { App } from './routes.ts';

// Facts of one request, kept until its one log line is written.
declare module 'fastify' {
  interface FastifyRequest {
    /** Always a valid IP address, determined once. */
    clientIp: string;
    /** The person whom a proxy with sign-on named, for the audit alone: it gives no right. Null if no person was named. */
    person: string | null;
    /** The actor; null until authenticated, and on routes without a credential. */
    principal: Principal | null;
    /** Whether a service refused it because it does not come from another service. */
    isRefusedAtGate: boolean;
    errorCode: ErrorCode | null;
    /** Why it is answered with a 5xx. */
    failure: RequestFailure | null;
    /** The revocation that it made; null for most requests. */
    revocation: LoggedRevocation | null;
    /** The route pattern in the service that answered, if that service is another process. */
    answeredRoute: string | null;
  }

  interface FastifyContextConfig {
    /** The row of the scope table. Every route of a service names one. */
    access?: Access;
    /** How it names contents. Every route that takes an API key says it. */
    contents?: NamedContents;
    /** Its name in the audit, such as `api-key.create`. Only on management actions. */
    action?: string;
    /** The rate limit that applies where limits are on. */
    limit?: LimitName;
    /** Only requests that the guard or the handler refuses count: a limit must not stop what it lets through. */
    limitsRefusals?: boolean;
    /** Also answers while the service waits for its database or other services. */
    waitsForNothing?: boolean;
    /** Occupies a path that another route's parameter would match; takes no method itself. */
    reserved?: boolean;
  }
}

/** Declares the facts that hooks and routes note on a request, with their first values. */
export function decorateRequests(app: App): void {
  app.decorateRequest('clientIp', '');
  app.decorateRequest('person', null);
  app.decorateRequest('principal', null);
  app.decorateRequest('isRefusedAtGate', false);
  app.decorateRequest('errorCode', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('revocation', null);
  app.decorateRequest('answeredRoute', null);
}
