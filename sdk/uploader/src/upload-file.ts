import { Fault } from './fault.ts';
import type { Ports, PutAnswer } from './ports.ts';
import { type PresignedUrl, presign } from './presign.ts';
import { putFile } from './put-file.ts';
import { retryDelayMs } from './retry-delay.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';

/** What the upload of one file is about. */
export interface FileWork {
  readonly file: UploadFile;
  readonly key: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

export interface FileEvents {
  /** @param attempt from 1 */
  attempt(attempt: number): void;
  /** @param bytes sent in the present attempt */
  sent(bytes: number): void;
}

/** Default of `attempts`: pauses of 0.5, 1, 2, 4, 8, 16 and 30 s, a quarter of which chance takes. */
const defaultAttempts = 8;
/** A URL that runs out sooner is not begun with again. */
const leastLifetimeMs = 10_000;

/**
 * Uploads one file: a URL, a PUT, and both again while there is hope.
 *
 * @throws UploadError, or the reason of the signal
 */
export async function uploadFile(
  work: FileWork,
  options: UploadOptions,
  events: FileEvents,
  ports: Ports,
  signal: AbortSignal,
): Promise<PutAnswer> {
  const { file, size, ...names } = work;
  let url: PresignedUrl | undefined;
  let before: Fault | undefined;
  for (let attempt = 1; ; attempt++) {
    events.attempt(attempt);
    try {
      // One that was just made is used whatever the clock of this machine says: it may be wrong.
      if (url && url.expiresAtMs - ports.nowMs() < leastLifetimeMs) url = undefined;
      url ??= await presign({ ...names, contentLength: size }, options, ports, signal);
      return await putFile(work, url, events.sent, ports, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Fault)) throw error;
      if (error.retry === 'never' || attempt >= (options.attempts ?? defaultAttempts)) throw error.error;
      if (error.retry === 'once' && before?.retry === 'once') throw error.error;
      if (error.urlSpent) url = undefined;
      before = error;
    }
    if (before.retry === 'later') {
      await ports.wait(retryDelayMs(attempt, before.retryAfterMs, ports.random()), signal);
    }
  }
}
