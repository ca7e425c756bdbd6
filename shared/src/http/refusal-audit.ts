import type { FastifyRequest } from 'fastify';
import type { RefusalLog } from '../audit/index.ts';
import { accessRules, presentsApiKey, scopesOf, takesBasic } from '../auth/index.ts';
import { type AuditFacts, describeSelector, toActor } from '../contracts/index.ts';
import type { AppError } from '../errors/errors.ts';
import { toAppError } from './error-handler.ts';
import type { App } from './routes.ts';

export type { AuditFacts };

export function auditFacts(request: FastifyRequest): AuditFacts {
  const { principal, person, clientIp, id } = request;
  return { actor: toActor(principal), person, clientIp, requestId: id };
}

/**
 * Records every refused management action before its answer is sent: in its own row or, if it is one of many, in a row
 * that counts them (`RefusalLog`). A viewer's refusal about its own leases is not management: only its log line records
 * it. The exception is a viewer at its limit: it may share its account, and operators want to know.
 */
export function addRefusalAudit(app: App, refusals: RefusalLog): void {
  app.addHook('onClose', () => refusals.settle());
  app.addHook('onError', async (request, _reply, error) => {
    const { action, access } = request.routeOptions.config;
    // Its statements about its client are not trusted.
    if (!action || request.isRefusedAtGate) return;
    const refusal = toAppError(error);
    if (refusal.status >= 500) return;
    // The first step of `Basic`: the client is asked for its password, and sends the request again.
    if (refusal.code === 'UNAUTHENTICATED' && takesBasic(access)) return;
    const forViewers = access !== undefined && accessRules[access]?.viewer === true;
    if (forViewers && refusal.code !== 'LEASE_LIMIT_REACHED' && !meansToManage(request, refusal)) return;
    const { about } = refusal;
    await refusals.record({
      ...auditFacts(request),
      action,
      target: about ? describeSelector(about) : targetOf(request),
      outcome: 'refused',
      code: refusal.code,
      ...(about && { names: { leaseId: null, ...about } }),
    });
  });
}

/**
 * Whether a request to a route that viewers use too was management: made with an API key, or asking for what only an API
 * key may.
 */
function meansToManage({ principal, headers }: FastifyRequest, { code, members }: AppError): boolean {
  if (principal?.kind === 'api-key') return true;
  if (!principal) return presentsApiKey(headers);
  return code === 'INSUFFICIENT_SCOPE' && members?.scope === scopesOf('manage');
}

/** The id in the path, if it has the form of an id: a stranger's text is not stored at full length. */
function targetOf(request: FastifyRequest): string | null {
  const { id } = (request.params ?? {}) as { id?: unknown };
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,256}$/.test(id) ? id : null;
}
