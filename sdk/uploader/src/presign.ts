import { Fault, isPassing, parseRetryAfter } from './fault.ts';
import type { Ports } from './ports.ts';
import { answerLimitMs, askApplication, withStallLimit } from './time-limits.ts';
import { UploadError } from './upload-error.ts';

export interface PresignedUrl {
  readonly url: string;
  /** To be sent unchanged, since they are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, by the server's clock. */
  readonly expiresAtMs: number;
}

export interface PresignRequest {
  readonly key: string;
  readonly contentType: string;
  /** Bytes. */
  readonly contentLength: number;
  /** `Cache-Control` of the object; undefined for none. */
  readonly cacheControl: string | undefined;
}

/**
 * `POST /presign` with a fresh token.
 *
 * @throws Fault
 */
export async function presign(
  request: PresignRequest,
  { keyServerUrl, auth }: { readonly keyServerUrl: string; readonly auth: () => string | Promise<string> },
  ports: Ports,
  signal: AbortSignal,
): Promise<PresignedUrl> {
  const token = await freshToken(auth, ports, signal);
  const { status, retryAfter, body } = await ask(`${keyServerUrl}/presign`, request, token, ports, signal);
  if (status === 200) return parse(body);
  const { code, detail } = (body ?? {}) as { code?: unknown; detail?: unknown };
  const serverCode = typeof code === 'string' ? code : undefined;
  const said = [
    `the key server answered ${status}`,
    serverCode,
    typeof detail === 'string' ? detail : undefined,
  ];
  const message = said.filter(Boolean).join(': ');
  const retryAfterMs = parseRetryAfter(retryAfter, ports.nowMs());
  if (isPassing(status)) {
    throw new Fault(new UploadError('PRESIGN_UNAVAILABLE', message, { status, serverCode }), 'later', {
      retryAfterMs,
    });
  }
  // The token may have expired on the way.
  const retry = status === 401 ? 'once' : 'never';
  throw new Fault(new UploadError('PRESIGN_REFUSED', message, { status, serverCode }), retry);
}

async function freshToken(
  auth: () => string | Promise<string>,
  ports: Ports,
  signal: AbortSignal,
): Promise<string> {
  let token: unknown;
  try {
    token = await askApplication<unknown>(auth, ports, signal);
  } catch (cause) {
    const message = `auth() failed: ${cause instanceof Error ? cause.message : cause}`;
    throw new Fault(new UploadError('AUTH_FAILED', message, { cause }), 'never');
  }
  if (typeof token !== 'string' || token === '') {
    const message = `auth() gave ${kindOf(token)}; accepted: a token as a string`;
    throw new Fault(new UploadError('AUTH_FAILED', message), 'never');
  }
  try {
    // fetch would fail as for a lost server.
    new Headers({ authorization: `Bearer ${token}` });
  } catch {
    // Without the cause: some runtimes quote the token in it.
    throw new Fault(new UploadError('AUTH_FAILED', 'auth() gave a token that no header can carry'), 'never');
  }
  return token;
}

/** Without the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === '') return 'an empty string';
  if (value === undefined || value === null) return String(value);
  return `${typeof value === 'object' ? 'an' : 'a'} ${Array.isArray(value) ? 'array' : typeof value}`;
}

async function ask(url: string, request: PresignRequest, token: string, ports: Ports, signal: AbortSignal) {
  try {
    return await withStallLimit(answerLimitMs, ports, signal, async (requestSignal) => {
      const answer = await ports.fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal: requestSignal,
        // A redirect must not get the token.
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
      });
      const body: unknown = await answer.json().catch(() => undefined);
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
    });
  } catch (cause) {
    const message = `the key server cannot be reached (${url})`;
    throw new Fault(new UploadError('PRESIGN_UNAVAILABLE', message, { cause }), 'later');
  }
}

function parse(body: unknown): PresignedUrl {
  const { url, headers, expires_at: expiresAt } = (body ?? {}) as Record<string, unknown>;
  const expiresAtMs = Date.parse(String(expiresAt));
  if (typeof url === 'string' && typeof headers === 'object' && !Number.isNaN(expiresAtMs)) {
    return { url, headers: headers as Record<string, string>, expiresAtMs };
  }
  const message =
    'the key server answered 200 without a URL; is keyServerUrl the address of a Latchkey server?';
  throw new Fault(new UploadError('PRESIGN_REFUSED', message, { status: 200 }), 'never');
}
