import type { UploadBody } from './upload-options.ts';

export interface PutRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: UploadBody;
  /** Bytes of `body`. */
  readonly size: number;
  /** @param bytes sent so far in this request */
  readonly onSent: (bytes: number) => void;
  readonly signal: AbortSignal;
}

export interface PutAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  /** The header, as it was sent. */
  readonly retryAfter: string | undefined;
  /** Of an answer that is not 2xx: `<Error><Code>…` (S3, "Error responses"). */
  readonly text: string;
}

/** Sends a file. Rejects without an answer: a network fault, or the signal. */
export type Put = (request: PutRequest) => Promise<PutAnswer>;

/** Everything that an upload uses. */
export interface Ports {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly put: Put;
  /** Milliseconds since 1970 by this machine's clock: only for dates of a server. */
  readonly nowMs: () => number;
  /** For durations: milliseconds since some moment. Unlike `nowMs` it cannot be set forward or back. */
  readonly elapsedMs: () => number;
  /** Rejects once the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 up to 1, for jitter. */
  readonly random: () => number;
}

/** The ports that every runtime has. */
export const commonPorts: Omit<Ports, 'put'> = {
  fetch: (url, init) => globalThis.fetch(url, init),
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const end = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', end);
        resolve();
      }, ms);
      signal.addEventListener('abort', end, { once: true });
    }),
  random: () => Math.random(),
};
