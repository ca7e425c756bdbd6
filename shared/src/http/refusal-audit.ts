import type { FastifyRequest } from 'fastify';
import type { RefusalLog } from '../audit/index.ts';
import { accessRules, toActor } from '../auth/index.ts';
import type { Actor } from '../contracts/index.ts';
import { AppError } from '../errors/index.ts';
import type { App } from './routes.ts';

/** What the audit row of an act says of who did it. An operator at the database has neither address nor request. */
export interface AuditFacts {
  actor: Actor;
  clientIp: string | null;
  requestId: string | null;
}

export function auditFacts(request: FastifyRequest): AuditFacts {
  return { actor: toActor(request.principal), clientIp: request.clientIp, requestId: request.id };
}

/**
 * Records every management action that is refused, before its answer leaves. What a viewer is refused is no management:
 * its log line tells.
 */
export function addRefusalAudit(app: App, refusals: RefusalLog): void {
  app.addHook('onError', async (request, _reply, error) => {
    const { action, access } = request.routeOptions.config;
    const { statusCode, status = statusCode ?? (error.validation ? 400 : 500) } = error as typeof error & {
      status?: number;
    };
    if (!action || status < 400 || status >= 500) return;
    const forViewers = access !== undefined && accessRules[access]?.viewer === true;
    if (forViewers && request.principal?.kind !== 'api-key') return;
    await refusals.record({
      ...auditFacts(request),
      action,
      target: targetOf(request),
      outcome: 'refused',
      code: error instanceof AppError ? error.code : 'VALIDATION_FAILED',
    });
  });
}

/** The id in the path, as far as it can be one: what a stranger put there is not kept at any length. */
function targetOf(request: FastifyRequest): string | null {
  const { id } = (request.params ?? {}) as { id?: unknown };
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,256}$/.test(id) ? id : null;
}
