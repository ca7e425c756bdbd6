import {
  createFileMemory,
  openFolder,
  type UploadCacheControl,
  type UploadResult,
  upload,
} from '@latchkey/uploader/node';
import { rootPlaylistName } from '../encrypt/target-names.ts';
import { adviceToRegister, advise, askServer, type ServerAccess } from '../keys/ask-server.ts';
import { unavailable } from '../refusal.ts';
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
 * @returns the key of the playlist for players
 * @throws AppError
 */
export async function prepareUpload(
  access: ServerAccess,
  { contentId, playlist, cacheControl }: UploadPreparation,
  signal: AbortSignal,
): Promise<string> {
  const key = `content/${contentId}/${rootPlaylistName(playlist)}`;
  const contentType = 'application/vnd.apple.mpegurl';
  const body = { key, contentType, cacheControl: cacheControl.playlists };
  await askServer(access, { method: 'POST', path: '/presign', body, signal }).catch(
    advise({
      ...adviceToRegister,
      NOT_FOUND: 'The server takes no uploads: it needs ENABLE_PRESIGN=true and a bucket.',
    }),
  );
  return key;
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
  folder: string,
  { contentId, cacheControl }: Omit<UploadPreparation, 'playlist'>,
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
  const missing = result.files.filter(({ error }) => error);
  const state = `${result.files.length - missing.length} of ${result.files.length} files are uploaded`;
  const rest = 'The same command sends the rest.';
  if (signal.aborted) throw unavailable(`interrupted; ${state}. ${rest}`);
  // A playlist is held back because of another file, which has the reason.
  const first = missing.find(({ error }) => error?.code !== 'NAMED_FILE_MISSING') ?? missing[0];
  const detail = `${state}. ${first?.path}: ${first?.error?.message} (${first?.error?.code}). ${rest}`;
  throw unavailable(detail, first?.error);
}
