import type { FastifyRequest } from 'fastify';
import type { RefusalLog } from '../audit/index.ts';
import { accessRules, presentsApiKey, scopesOf } from '../auth/index.ts';
import type { Actor } from '../contracts/index.ts';
import { toActor } from '../contracts/index.ts';
import type { AppError } from '../errors/index.ts';
import { toAppError } from './error-handler.ts';
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
 * Records every management action that is refused, before its answer leaves: in a row of its own or, where it is one of many,
 * in one that counts them (`RefusalLog`). A viewer that is refused what is its own does not manage: its log line says so.
 */
export function addRefusalAudit(app: App, refusals: RefusalLog): void {
  app.addHook('onClose', () => refusals.settle());
  app.addHook('onError', async (request, _reply, error) => {
    const { action, access } = request.routeOptions.config;
    // Nothing that it says of its client can be believed.
    if (!action || request.isRefusedAtGate) return;
    const refusal = toAppError(error);
    if (refusal.status >= 500) return;
    const forViewers = access !== undefined && accessRules[access]?.viewer === true;
    if (forViewers && !meansToManage(request, refusal)) return;
    await refusals.record({
      ...auditFacts(request),
      action,
      target: targetOf(request),
      outcome: 'refused',
      code: refusal.code,
    });
  });
}

/** Whether what was asked of a route that viewers use too was management: an API key's, or what only an API key may ask. */
function meansToManage({ principal, headers }: FastifyRequest, { code, members }: AppError): boolean {
  if (principal?.kind === 'api-key') return true;
  if (!principal) return presentsApiKey(headers);
  return code === 'INSUFFICIENT_SCOPE' && members?.scope === scopesOf('manage');
}

/** The id in the path, as far as it can be one: what a stranger put there is not kept at any length. */
function targetOf(request: FastifyRequest): string | null {
  const { id } = (request.params ?? {}) as { id?: unknown };
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,256}$/.test(id) ? id : null;
}
