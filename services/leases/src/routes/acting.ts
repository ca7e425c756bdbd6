import { auditFacts } from '@latchkey/shared/http';
import type { FastifyRequest } from 'fastify';
import type { Acting } from '../lease-acting.ts';

/** Who acts in a request that the guard has let through. */
export function actingIn(request: FastifyRequest): Acting {
  if (!request.principal) throw new Error('the route is not behind the guard');
  return { principal: request.principal, facts: auditFacts(request) };
}
