import { AppError } from '@latchkey/shared/errors';
import { createFileMemory, openFolder, type UploadResult, upload } from '@latchkey/uploader/node';
import type { ServerAccess } from '../keys/ask-server.ts';
import { recordPath } from './upload-record.ts';

/** How far it is. */
export interface UploadReport {
  start?(total: { files: number; bytes: number }): void;
  /** Files that are in the bucket, and bytes sent. */
  update?(done: { files: number; bytes: number }): void;
}

/**
 * Uploads a presentation to `content/<contentId>/`, without what the folder's record says is there already.
 *
 * @throws AppError that tells how much is missing and why
 */
export async function uploadPresentation(
  { server, apiKey }: ServerAccess,
  folder: string,
  contentId: string,
  report: UploadReport,
  signal: AbortSignal,
): Promise<UploadResult> {
  const files = await openFolder(folder);
  report.start?.({ files: files.length, bytes: files.reduce((sum, { size = 0 }) => sum + size, 0) });
  const result = await upload(files, {
    auth: () => apiKey,
    contentId,
    keyServerUrl: server,
    memory: createFileMemory(recordPath(folder)),
    onProgress: ({ filesDone, loadedBytes }) => report.update?.({ files: filesDone, bytes: loadedBytes }),
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
  // Of a playlist that was held back, the reason is another file.
  const first = missing.find(({ error }) => error?.code !== 'NAMED_FILE_MISSING') ?? missing[0];
  const detail = `${state}. ${first?.path}: ${first?.error?.message} (${first?.error?.code}). ${rest}`;
  return new AppError('DEPENDENCY_UNAVAILABLE', { detail, cause: first?.error });
}
