import { isHeldByMark, type Principal } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { MarkStore } from './mark-store.ts';
import type { Transaction } from './own-tables.ts';

/**
 * A token from before a revocation gets no new lease and cannot bring an expired one back. This does not apply to API keys.
 *
 * @throws AppError TOKEN_REVOKED
 */
export async function assertUnmarked(
  tx: Transaction,
  principal: Principal,
  { viewerId, contentId }: { viewerId: string; contentId: string },
): Promise<void> {
  if (principal.kind === 'api-key') return;
  const markedAt = await new MarkStore(tx).findLatest(viewerId, contentId);
  if (isHeldByMark(principal, markedAt)) throw new AppError('TOKEN_REVOKED');
}
