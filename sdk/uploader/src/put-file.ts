import { Fault, isPassing, parseRetryAfter } from './fault.ts';
import type { Ports, PutAnswer } from './ports.ts';
import type { PresignedUrl } from './presign.ts';
import { untilAborted, withStallLimit } from './time-limits.ts';
import { UploadError } from './upload-error.ts';
import type { UploadBody, UploadFile } from './upload-options.ts';

/** A connection without progress for so long is dead. A store that assembles an object answers sooner. */
const stallLimitMs = 60_000;

/**
 * One PUT to a presigned URL, with the headers that were signed.
 *
 * @param onSent bytes sent so far, in this attempt
 * @returns the answer, a 2xx
 * @throws Fault
 */
export async function putFile(
  { file, size }: { readonly file: UploadFile; readonly size: number },
  { url, headers }: PresignedUrl,
  onSent: (bytes: number) => void,
  ports: Ports,
  signal: AbortSignal,
): Promise<PutAnswer> {
  let fault: { readonly cause: unknown } | undefined;
  const opened = await untilAborted(signal, openBody(file, size));
  const onFault = (cause: unknown) => {
    fault ??= { cause };
  };
  const body = opened instanceof Blob ? opened : guardStream(opened, size, onFault);
  let answer: PutAnswer;
  try {
    answer = await withStallLimit(stallLimitMs, ports, signal, (requestSignal, moved) => {
      const sent = (bytes: number) => {
        moved();
        onSent(bytes);
      };
      return ports.put({ url, headers, body, size, onSent: sent, signal: requestSignal });
    });
  } catch (cause) {
    if (fault) throw unreadable(fault.cause);
    await checkReadable(body);
    const message = 'the store cannot be reached (or, in a browser, does not allow this page: CORS)';
    // A refusal without CORS headers looks the same, so the URL may have expired. The next attempt gets a fresh one.
    throw new Fault(new UploadError('STORE_UNAVAILABLE', message, { cause }), 'later', { urlSpent: true });
  }
  if (answer.status >= 200 && answer.status < 300) {
    // Browsers check a file only when they open it. One that changed later may have arrived as a mixture of both states.
    await checkReadable(body);
    return answer;
  }
  throw judge(answer, ports.nowMs());
}

function judge({ status, text, retryAfter }: PutAnswer, nowMs: number): Fault {
  const serverCode = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
  const message = ['the store answered', status, serverCode].filter(Boolean).join(' ');
  // S3 answers 400 to a body that paused ("Error responses": RequestTimeout).
  if (isPassing(status) || serverCode === 'RequestTimeout') {
    const error = new UploadError('STORE_UNAVAILABLE', message, { status, serverCode });
    return new Fault(error, 'later', { retryAfterMs: parseRetryAfter(retryAfter, nowMs) });
  }
  const error = new UploadError('STORE_REFUSED', message, { status, serverCode });
  // S3 and compatible stores answer 403 to an expired URL.
  return status === 403 ? new Fault(error, 'once', { urlSpent: true }) : new Fault(error, 'never');
}

async function openBody({ data }: UploadFile, size: number): Promise<UploadBody> {
  let body: UploadBody;
  try {
    if (typeof data === 'function') body = await data();
    else body = data instanceof Blob ? data : new Blob([data]);
  } catch (cause) {
    throw unreadable(cause);
  }
  if (!(body instanceof Blob) || body.size === size) return body;
  throw unreadable(new Error(`it has ${body.size} bytes now, not ${size}`));
}

/** Distinguishes a file that was changed or removed from a network fault, which looks the same. */
async function checkReadable(body: UploadBody): Promise<void> {
  if (!(body instanceof Blob)) return;
  try {
    await body.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): Fault {
  const message = `the file cannot be read: ${cause instanceof Error ? cause.message : cause}`;
  return new Fault(new UploadError('READ_FAILED', message, { cause }), 'never');
}

/**
 * Passes on a stream that has exactly the given size. The last piece waits until the end of the stream is known, since a
 * store keeps nothing of an incomplete object.
 *
 * @param size bytes
 * @param onFault the stream failed, or has another size; the result fails with the same error
 */
function guardStream(
  stream: ReadableStream<Uint8Array>,
  size: number,
  onFault: (cause: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let readBytes = 0;
  let last: Uint8Array | undefined;

  /** @returns the piece before the one that is read; undefined for the first */
  async function next(): Promise<{ done: boolean; piece: Uint8Array | undefined }> {
    const { done, value } = await reader.read();
    readBytes += value?.byteLength ?? 0;
    if (readBytes > size || (done && readBytes < size)) {
      await reader.cancel().catch(() => {});
      throw new Error(`it has ${done ? readBytes : `more than ${size}`} bytes now, not ${size}`);
    }
    const piece = last;
    last = value;
    return { done, piece };
  }

  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        for (;;) {
          const { done, piece } = await next();
          if (piece) controller.enqueue(piece);
          if (done) controller.close();
          if (done || piece) return;
        }
      } catch (cause) {
        onFault(cause);
        controller.error(cause);
      }
    },
    cancel: (reason: unknown) => reader.cancel(reason),
  };
  // Nothing is read in advance, so a request that never begins opens no file.
  return new ReadableStream(source, { highWaterMark: 0 });
}
