import type { Authority } from '@latchkey/shared/authority';
import { isContentId, type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import type { Metrics } from '@latchkey/shared/metrics';
import type { UsageCounts } from '@latchkey/shared/statistics';

/**
 * Counts a key request once it is decided.
 *
 * @param contentId null where the path names none
 * @param refusal the code; null where the key was served
 */
export type CountKeyRequest = (
  principal: Principal | null,
  contentId: string | null,
  refusal: string | null,
) => void;

/** Where key requests are counted. */
export interface KeyRequestCounters {
  metrics: Pick<Metrics, 'countKeyRequest'>;
  usage: Pick<UsageCounts, 'count'>;
  authority: { leases: Pick<Authority['leases'], 'glance'> };
}

/** The bootstrap key has no id. */
const bootstrapKey = 'bootstrap-key';

/** Counts for the metrics, and by content, viewer and API key for the usage. A few look-ups in maps, on the path of each key request. */
export function createKeyRequestCounter({ metrics, usage, authority }: KeyRequestCounters): CountKeyRequest {
  /** A session is its lease's viewer. A lease that is not known now was not the reason to serve, and is not read for a count. */
  const viewerOf = (principal: Principal) =>
    principal.kind === 'session'
      ? (authority.leases.glance(principal.id)?.value?.viewerId ?? null)
      : viewerIdOf(principal);

  return (principal, contentId, refusal) => {
    metrics.countKeyRequest(refusal ?? 'served');
    const viewerId = principal && viewerOf(principal);
    const apiKeyId = principal?.kind === 'api-key' ? (principal.id ?? bootstrapKey) : null;
    usage.count('keys', refusal, contentId, viewerId, apiKeyId);
  };
}

/** The content that the path of a request names, if it can be one. */
export function namedContent(params: unknown): string | null {
  const { contentId } = params as { contentId?: unknown };
  return typeof contentId === 'string' && isContentId(contentId) ? contentId : null;
}
