import type { Access } from '../auth/index.ts';
import type { Principal } from '../contracts/index.ts';
import type { ErrorCode } from '../errors/index.ts';
import type { LimitName } from './rate-limit.ts';

// What belongs to one request and is needed where its one log line is written.
declare module 'fastify' {
  interface FastifyRequest {
    /** Always a valid IP address, worked out once. */
    clientIp: string;
    /** Who acts; null until authenticated, and on routes that ask for no credential. */
    principal: Principal | null;
    /** Whether a service turned it away because it does not come from a neighbour. */
    isRefusedAtGate: boolean;
    errorCode: ErrorCode | null;
    /** The pattern of the route in the service that answered, where that is another process. */
    answeredRoute: string | null;
  }

  interface FastifyContextConfig {
    /** The row of the scope table. Every route of a service names one. */
    access?: Access;
    /** What the audit calls it, such as `api-key.create`. Only on management actions. */
    action?: string;
    /** The rate limit that applies where limits are on. */
    limit?: LimitName;
    /** Answers also while the service waits for its database or its neighbours. */
    waitsForNothing?: boolean;
    /** Stands in for a path that another route's parameter would swallow; takes no method of its own. */
    reserved?: boolean;
  }
}
