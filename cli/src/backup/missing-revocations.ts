import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type LoggedRevocation, readLoggedRevocation } from '@latchkey/shared/contracts';

/** A revocation to make again, as the request that makes it. */
export interface MissingRevocation {
  /** When it was made first. */
  at: string;
  requestId: string;
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: Readonly<Record<string, string>>;
  /** Instead of the body, if the restored database does not have the lease: the mark that the revocation left. */
  bodyWithoutLease?: Readonly<Record<string, string>>;
}

/** What the lines of a request log say. */
export interface FoundRevocations {
  missing: MissingRevocation[];
  /** Leases that viewers released themselves. They end soon anyway, and would hide the rest. */
  released: number;
  /** Lines of requests that revoked something and do not say what: cut off, or with a hidden viewer. `file:line` each. */
  unclear: string[];
  /** Lines in the time that was searched. */
  lines: number;
}

/** A request that revokes, by its path alone: what an unreadable line shows. */
const revoking =
  /"\/keys\/leases\/revoke|"DELETE","path":"\/api\/v1\/(api-keys|content)\/|"path":"\/api\/v1\/viewers\/|\/api-keys\/[^"/]*\/rotate/;
const revokePath = '/keys/leases/revoke';

/**
 * Reads the revocations that were made at the given time or later. Of several with the same effect the last one counts. API keys
 * come last: the caller's own may be one of them.
 *
 * @param files paths, or a stream
 * @param since milliseconds since 1970
 */
export async function findRevocations(
  files: readonly (string | Readable)[],
  since: number,
): Promise<FoundRevocations> {
  const found: FoundRevocations = { missing: [], released: 0, unclear: [], lines: 0 };
  const last = new Map<string, { line: LogLine; revocation: LoggedRevocation }>();
  for (const file of files) {
    const input = typeof file === 'string' ? createReadStream(file) : file;
    let number = 0;
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const line = readLine(text);
      if (line ? line.at < since : !revoking.test(text)) continue;
      found.lines++;
      if (!line?.revocation || line.revocation.viewerIdHash !== undefined) {
        if (!line || line.revocation)
          found.unclear.push(`${typeof file === 'string' ? file : 'standard input'}:${number}`);
        continue;
      }
      note(last, line, line.revocation);
    }
  }
  const kept = [...last.values()].sort((a, b) => a.line.at - b.line.at);
  for (const { line, revocation } of kept) {
    if (isRelease(line, revocation)) found.released++;
    else found.missing.push(...toRequests(line, revocation, Date.now()));
  }
  found.missing.sort((a, b) => Number(isOfApiKey(a)) - Number(isOfApiKey(b)));
  return found;
}

interface LogLine {
  at: number;
  requestId: string;
  isViewer: boolean;
  revocation: LoggedRevocation | undefined;
}

/** Collectors put a name or a time before the line. Undefined where it is no line of the request log. */
function readLine(text: string): LogLine | undefined {
  try {
    const line = JSON.parse(text.slice(Math.max(0, text.indexOf('{')))) as Record<string, unknown>;
    const { time, requestId, principal, revocation } = line;
    const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    if (Number.isNaN(at) || typeof requestId !== 'string') return undefined;
    return {
      at,
      requestId,
      isViewer: (principal as { kind?: unknown } | null)?.kind === 'viewer',
      revocation: readLoggedRevocation(revocation),
    };
  } catch {
    return undefined;
  }
}

/** Lines of several processes are not in order. A content may be active again, and a block lifted. */
function note(
  last: Map<string, { line: LogLine; revocation: LoggedRevocation }>,
  line: LogLine,
  revocation: LoggedRevocation,
): void {
  const { contentStatus, viewerStatus, blockedUntil: _, ...named } = revocation;
  const isStatus = contentStatus !== undefined || viewerStatus !== undefined;
  const key = JSON.stringify([isStatus, Object.entries(named).sort()]);
  const known = last.get(key);
  if (!known || known.line.at <= line.at) last.set(key, { line, revocation });
}

function isRelease({ isViewer }: LogLine, { leaseId }: LoggedRevocation): boolean {
  return isViewer && leaseId !== undefined;
}

function toRequests(
  { at, requestId }: LogLine,
  revocation: LoggedRevocation,
  now: number,
): MissingRevocation[] {
  const { leaseId, viewerId, contentId, apiKeyId, contentStatus, viewerStatus, blockedUntil } = revocation;
  const made = { at: new Date(at).toISOString(), requestId };
  if (apiKeyId !== undefined) return [{ ...made, method: 'DELETE', path: `/api/v1/api-keys/${apiKeyId}` }];
  if (contentStatus === 'active') return [];
  if (contentStatus === 'disabled')
    return [{ ...made, method: 'DELETE', path: `/api/v1/content/${contentId}` }];
  if (viewerStatus === 'blocked' && !(Date.parse(blockedUntil ?? '') <= now))
    return [
      {
        ...made,
        method: 'PUT',
        path: `/api/v1/viewers/${encodeURIComponent(viewerId ?? '')}/block`,
        body: { ...(blockedUntil !== undefined && { until: blockedUntil }) },
      },
    ];
  // A block that was lifted or has ended was a revocation too, which still holds.
  const selector = {
    ...(viewerId !== undefined && { viewerId }),
    ...(contentId !== undefined && { contentId }),
  };
  if (leaseId === undefined) return [{ ...made, method: 'POST', path: revokePath, body: selector }];
  return [{ ...made, method: 'POST', path: revokePath, body: { leaseId }, bodyWithoutLease: selector }];
}

function isOfApiKey({ path }: MissingRevocation): boolean {
  return path.startsWith('/api/v1/api-keys/');
}
