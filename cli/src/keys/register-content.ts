import { AppError } from '@latchkey/shared/errors';
import { askServer, type ServerAccess } from './ask-server.ts';

/**
 * Registers the content where the server does not know it. Content that is there stays as it is: a POST would give it
 * another name.
 *
 * @throws AppError as {@link askServer}
 */
export async function registerContent(
  access: ServerAccess,
  contentId: string,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await askServer(access, { method: 'GET', path: `/api/v1/content/${contentId}`, signal });
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    await askServer(access, {
      method: 'POST',
      path: '/api/v1/content',
      body: { id: contentId, name },
      signal,
    });
  }
}
