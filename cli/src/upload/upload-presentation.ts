import { AppError } from '@latchkey/shared/errors';
import {
  createFileMemory,
  openFolder,
  type UploadCacheControl,
  type UploadResult,
  upload,
} from '@latchkey/uploader/node';
import { rootPlaylistName } from '../encrypt/target-names.ts';
import { askServer, type ServerAccess, withAdvice } from '../keys/ask-server.ts';
import { adviseRegistering } from '../keys/fetch-content-key.ts';
import { recordPath } from './upload-record.ts';

interface UploadPreparation {
  readonly contentId: string;
  /** Path of the playlist that is encrypted. */
  readonly playlist: string;
  readonly cacheControl: Required<UploadCacheControl>;
}

/**
 * Checks before any work that the server accepts uploads. It requests a presigned URL and drops it, which finds a scope
 * that is too small, content that is not registered, and a server without a bucket.
 *
 * @throws AppError
 */
export async function prepareUpload(
  access: ServerAccess,
  { contentId, playlist, cacheControl }: UploadPreparation,
  signal: AbortSignal,
): Promise<void> {
  const key = `content/${contentId}/${rootPlaylistName(playlist)}`;
  const contentType = 'application/vnd.apple.mpegurl';
  const body = { key, contentType, cacheControl: cacheControl.playlists };
  try {
    await askServer(access, { method: 'POST', path: '/presign', body, signal });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw adviseRegistering(error);
    throw withAdvice(error, 'The server takes no uploads: it needs ENABLE_PRESIGN=true and a bucket.');
  }
}

interface UploadReport {
  start(total: { files: number; bytes: number }): void;
  /** Files that are in the bucket, and bytes sent. */
  update(done: { files: number; bytes: number }): void;
}

/**
 * Uploads a presentation to `content/<contentId>/`, except the files that the folder's record has as uploaded.
 *
 * @throws AppError that reports how much is missing and why
 */
export async function uploadPresentation(
  { server, apiKey }: ServerAccess,
  {
    folder,
    contentId,
    cacheControl,
  }: { readonly folder: string; readonly contentId: string; readonly cacheControl: UploadCacheControl },
  report: UploadReport,
  signal: AbortSignal,
): Promise<UploadResult> {
  const files = await openFolder(folder);
  report.start({ files: files.length, bytes: files.reduce((sum, { size = 0 }) => sum + size, 0) });
  const result = await upload(files, {
    auth: () => apiKey,
    contentId,
    cacheControl,
    keyServerUrl: server,
    memory: createFileMemory(recordPath(folder)),
    onProgress: ({ filesDone, loadedBytes }) => report.update({ files: filesDone, bytes: loadedBytes }),
    signal,
  });
  if (result.complete) return result;
  throw explain(result, signal);
}

function explain({ files }: UploadResult, signal: AbortSignal): AppError {
  const missing = files.filter(({ error }) => error);
  const state = `${files.length - missing.length} of ${files.length} files are uploaded`;
  const rest = 'The same command sends the rest.';
  if (signal.aborted)
    return new AppError('DEPENDENCY_UNAVAILABLE', { detail: `interrupted; ${state}. ${rest}` });
  // A playlist is held back because of another file, which has the reason.
  const first = missing.find(({ error }) => error?.code !== 'NAMED_FILE_MISSING') ?? missing[0];
  const detail = `${state}. ${first?.path}: ${first?.error?.message} (${first?.error?.code}). ${rest}`;
  return new AppError('DEPENDENCY_UNAVAILABLE', { detail, cause: first?.error });
}
