import { auditFacts } from '@latchkey/shared/http';
import type { FastifyRequest } from 'fastify';
import type { Acting } from '../lease-acting.ts';

/** The caller of a request that the guard has admitted. */
export function actingIn(request: FastifyRequest): Acting {
  if (!request.principal) throw new Error('the route is not behind the guard');
  return { principal: request.principal, facts: auditFacts(request) };
}
