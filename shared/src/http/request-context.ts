import type { Access } from '../auth/index.ts';
import type { Principal } from '../contracts/index.ts';
import type { ErrorCode } from '../errors/errors.ts';
import type { LimitName } from './rate-limit.ts';

// What belongs to one request and is needed where its one log line is written.
declare module 'fastify' {
  interface FastifyRequest {
    /** Always a valid IP address, determined once. */
    clientIp: string;
    /** The actor; null until authenticated, and on routes without a credential. */
    principal: Principal | null;
    /** Whether a service refused it because it does not come from another service. */
    isRefusedAtGate: boolean;
    errorCode: ErrorCode | null;
    /** The route pattern in the service that answered, where that is another process. */
    answeredRoute: string | null;
  }

  interface FastifyContextConfig {
    /** The row of the scope table. Every route of a service names one. */
    access?: Access;
    /** Its name in the audit, such as `api-key.create`. Only on management actions. */
    action?: string;
    /** The rate limit that applies where limits are on. */
    limit?: LimitName;
    /** Also answers while the service waits for its database or other services. */
    waitsForNothing?: boolean;
    /** Occupies a path that another route's parameter would match; takes no method itself. */
    reserved?: boolean;
  }
}
