import { Fault, isPassing } from './fault.ts';
import { guardStream } from './guard-stream.ts';
import type { Ports, PutAnswer } from './ports.ts';
import type { PresignedUrl } from './presign.ts';
import { parseRetryAfter } from './retry-delay.ts';
import { untilAborted } from './until-aborted.ts';
import { UploadError } from './upload-error.ts';
import type { UploadBody, UploadFile } from './upload-options.ts';
import { withStallLimit } from './with-stall-limit.ts';

/** A line that moves no octet for so long is dead; a store that assembles an object answers sooner. */
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
    // A refusal without CORS headers looks like this too: only a fresh URL rules out that this one ran out.
    throw new Fault(new UploadError('STORE_UNAVAILABLE', message, { cause }), 'later', { urlSpent: true });
  }
  if (answer.status >= 200 && answer.status < 300) {
    // Browsers look at a file when they open it. One that changed later may have arrived as a mixture of both states.
    await checkReadable(body);
    return answer;
  }
  throw judge(answer, ports.nowMs());
}

function judge({ status, text, retryAfter }: PutAnswer, nowMs: number): Fault {
  const serverCode = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
  const message = ['the store answered', status, serverCode].filter(Boolean).join(' ');
  // S3 says 400 to a body that took a pause ("Error responses": RequestTimeout).
  if (isPassing(status) || serverCode === 'RequestTimeout') {
    const error = new UploadError('STORE_UNAVAILABLE', message, { status, serverCode });
    return new Fault(error, 'later', { retryAfterMs: parseRetryAfter(retryAfter, nowMs) });
  }
  const error = new UploadError('STORE_REFUSED', message, { status, serverCode });
  // S3 and its like answer 403 to a URL that has run out.
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

/** A file that was changed or removed since it was picked fails as a network fault does: the difference is told here. */
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
