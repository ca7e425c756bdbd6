import type { Principal } from '@latchkey/shared/contracts';
import { isEntitled } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { LeaseRouteOptions } from './lease-route-options.ts';

/** @throws AppError CONTENT_NOT_ENTITLED if the viewer's token names other contents */
export function assertEntitled(principal: Principal, contentId: string): void {
  if (!isEntitled(principal, contentId)) throw new AppError('CONTENT_NOT_ENTITLED');
}

/** @throws AppError CONTENT_NOT_FOUND if the content is disabled, or if it must be registered and is not */
export async function assertContentOpen(
  { contents, contentMode }: Pick<LeaseRouteOptions, 'contents' | 'contentMode'>,
  contentId: string,
): Promise<void> {
  const content = await contents.findContent(contentId);
  if (content ? content.status === 'active' : contentMode === 'any') return;
  throw new AppError('CONTENT_NOT_FOUND');
}
