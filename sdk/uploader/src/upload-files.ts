import { orderFiles } from './order-files.ts';
import type { Ports } from './ports.ts';
import { fingerprintOf, type PreparedFile, prepareFiles } from './prepare-files.ts';
import { askApplication, untilAborted } from './time-limits.ts';
import { UploadError } from './upload-error.ts';
import { uploadFile } from './upload-file.ts';
import { type AskMemory, recall, remember, type UploadRecord } from './upload-memory.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import { checkOptions } from './upload-options.ts';
import { createProgress, type FileProgress } from './upload-progress.ts';
import type { FileResult, UploadResult } from './upload-result.ts';

/** Enough to keep a connection busy while each file waits for answers. */
const defaultConcurrency = 4;

type Outcome = Pick<FileResult, 'status' | 'attempts' | 'etag' | 'error'>;

/**
 * Uploads files over presigned URLs. A failed file only stops the playlists that name it.
 *
 * @throws UploadError `INVALID_OPTIONS`; everything else is in the result
 */
export async function uploadFiles(
  files: readonly UploadFile[],
  given: UploadOptions,
  ports: Ports,
): Promise<UploadResult> {
  checkOptions(files, given);
  let keyServerUrl = given.keyServerUrl;
  while (keyServerUrl.endsWith('/')) keyServerUrl = keyServerUrl.slice(0, -1);
  const options = { ...given, keyServerUrl };
  const signal = options.signal ?? new AbortController().signal;
  const prepared = prepareFiles(files, options);
  const outcomes: Outcome[] = prepared.map(({ refusal: error }) =>
    error ? { status: 'failed', attempts: 0, error } : aborted(0),
  );
  const progressOf = createProgress(
    prepared.map(({ file: { path }, size }) => ({ path, size })),
    options.onProgress,
  );
  const indexOf = new Map(files.map(({ path }, index) => [path, index]));
  // A name outside this upload does not matter.
  const hasFailed = (path: string) => outcomes[indexOf.get(path) ?? -1]?.status === 'failed';
  // If it is aborted meanwhile, nothing begins.
  const groups = await untilAborted(signal, orderFiles(prepared)).catch(() => []);
  for (const group of groups) {
    await runPool(group, options.concurrency ?? defaultConcurrency, async ({ index, needs }) => {
      const file = prepared[index];
      if (signal.aborted || !file) return;
      const missing = needs.find(hasFailed);
      outcomes[index] = missing
        ? heldBack(missing)
        : await uploadOrSkip(file, options, progressOf(index), ports, signal);
    });
  }
  return summarize(prepared, outcomes);
}

async function uploadOrSkip(
  work: PreparedFile,
  options: UploadOptions,
  progress: FileProgress,
  ports: Ports,
  signal: AbortSignal,
): Promise<Outcome> {
  let attempts = 0;
  try {
    const place = `${options.keyServerUrl} ${work.key}`;
    const ofFile = await untilAborted(signal, fingerprintOf(work.file));
    // The bucket keeps it with the object, so a file that arrived with another one is sent again.
    const fingerprint = ofFile && work.cacheControl ? `${ofFile}, ${work.cacheControl}` : ofFile;
    const ask: AskMemory = (call) => askApplication(call, ports, signal);
    const remembered = await recall(options.memory, place, { size: work.size, fingerprint }, ask);
    signal.throwIfAborted();
    if (await isInBucket(work, remembered, options, ports, signal)) {
      progress.done();
      return { status: 'skipped', attempts: 0, ...(remembered?.etag && { etag: remembered.etag }) };
    }
    signal.throwIfAborted();
    const count = (attempt: number) => {
      attempts = attempt;
    };
    const events = { attempt: count, sent: progress.sent };
    const { etag } = await uploadFile(work, options, events, ports, signal);
    if (fingerprint !== undefined) {
      await remember(options.memory, place, { size: work.size, fingerprint, etag }, ask);
    }
    progress.done();
    return { status: 'uploaded', attempts, ...(etag !== undefined && { etag }) };
  } catch (cause) {
    if (signal.aborted) return aborted(attempts);
    if (cause instanceof UploadError) return { status: 'failed', attempts, error: cause };
    const message = cause instanceof Error ? cause.message : String(cause);
    return { status: 'failed', attempts, error: new UploadError('READ_FAILED', message, { cause }) };
  }
}

async function isInBucket(
  { key, file }: PreparedFile,
  remembered: UploadRecord | undefined,
  { exists }: UploadOptions,
  ports: Ports,
  signal: AbortSignal,
): Promise<boolean> {
  if (!exists) return remembered !== undefined;
  try {
    return await askApplication(() => exists(key, file, remembered), ports, signal);
  } catch {
    return false;
  }
}

function aborted(attempts: number): Outcome {
  return { status: 'aborted', attempts, error: new UploadError('ABORTED', 'the upload was aborted') };
}

function heldBack(path: string): Outcome {
  const error = new UploadError('NAMED_FILE_MISSING', `${path}, which it names, was not uploaded`);
  return { status: 'failed', attempts: 0, error };
}

function summarize(prepared: readonly PreparedFile[], outcomes: readonly Outcome[]): UploadResult {
  const files = prepared.map(({ file: { path }, key, size }, index) => ({
    path,
    key,
    size,
    ...(outcomes[index] ?? aborted(0)),
  }));
  const bytesOf = (...statuses: string[]) =>
    files.reduce((sum, { size, status }) => sum + (statuses.includes(status) ? size : 0), 0);
  return {
    files,
    complete: files.every(({ status }) => status === 'uploaded' || status === 'skipped'),
    totalBytes: files.reduce((sum, { size }) => sum + size, 0),
    uploadedBytes: bytesOf('uploaded'),
    skippedBytes: bytesOf('skipped'),
  };
}

/** Runs all items in their order, at most `concurrency` at the same time. `run` must not reject. */
async function runPool<Item>(
  items: readonly Item[],
  concurrency: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}
