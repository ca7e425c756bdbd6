import { Fault, retryDelayMs } from './fault.ts';
import type { Ports, PutAnswer } from './ports.ts';
import { type PresignedUrl, presign } from './presign.ts';
import { putFile } from './put-file.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';

export interface FileWork {
  readonly file: UploadFile;
  readonly key: string;
  readonly contentType: string;
  /** `Cache-Control` of the object; undefined for none. */
  readonly cacheControl: string | undefined;
  /** Bytes. */
  readonly size: number;
}

export interface FileEvents {
  /** @param attempt from 1 */
  attempt(attempt: number): void;
  /** @param bytes sent in the present attempt */
  sent(bytes: number): void;
}

/** Default of `attempts`: pauses of 0.5, 1, 2, 4, 8, 16 and 30 s, of which jitter takes a quarter on average. */
const defaultAttempts = 8;
/** A URL with a shorter life is not used for another attempt. */
const leastLifetimeMs = 10_000;

/**
 * Uploads one file: gets a URL and PUTs to it, and retries both.
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
      // A new URL is used even if it seems expired: the clock of this machine may be wrong.
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
