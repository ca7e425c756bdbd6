import { AppError } from '@latchkey/shared/errors';
import { rootPlaylistName } from '../encrypt/target-names.ts';
import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import { registerContent } from '../keys/register-content.ts';

export interface UploadPreparation {
  readonly contentId: string;
  /** Path of the playlist that is encrypted. */
  readonly playlist: string;
  /** The name to register the content with, where it is not known; undefined registers nothing. */
  readonly registerAs: string | undefined;
}

/**
 * Sees to it that the server would take uploads, before any work is done: a presigned URL that is asked for and thrown
 * away finds a scope that is too small, content that is not registered, and a server without a bucket.
 *
 * @throws AppError
 */
export async function prepareUpload(
  access: ServerAccess,
  { contentId, playlist, registerAs }: UploadPreparation,
  signal: AbortSignal,
): Promise<void> {
  if (registerAs !== undefined) await registerContent(access, contentId, registerAs, signal);
  const key = `content/${contentId}/${rootPlaylistName(playlist)}`;
  const body = { key, contentType: 'application/vnd.apple.mpegurl' };
  try {
    await askServer(access, { method: 'POST', path: '/presign', body, signal });
  } catch (error) {
    throw withAdvice(error);
  }
}

function withAdvice(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'CONTENT_NOT_FOUND') {
    const detail = `${error.detail} Register the content first, or give --register.`;
    return new AppError(error.code, { detail, cause: error });
  }
  if (error.code === 'NOT_FOUND') {
    const detail = `${error.detail} The server takes no uploads: it needs ENABLE_PRESIGN=true and a bucket.`;
    return new AppError(error.code, { detail, cause: error });
  }
  return error;
}
