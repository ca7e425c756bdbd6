import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type LoggedRevocation, readLoggedRevocation } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { readInstant } from '@latchkey/shared/http';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import { failure, refusal } from '../refusal.ts';
import { apiKeyFileOption, readServerAccess, type ServerOptions, serverOption } from './server-options.ts';

interface RevocationsOptions extends ServerOptions {
  readonly since: string;
  readonly redo?: true;
}

/** `latchkey revocations`: what a restore undid. */
export function registerRevocations(program: Command, context: CommandContext): void {
  program
    .command('revocations')
    .description('list the revocations in the request log, and make them again after a restore')
    .argument('<log...>', 'files with the standard output of the server or of every gateway')
    .requiredOption('--since <time>', 'ISO 8601 with an offset; latchkey restore names it')
    .option('--redo', 'make them again on the server')
    .addOption(serverOption('with --redo: the server'))
    .addOption(apiKeyFileOption())
    .addHelpText(
      'after',
      `
Standard output has one JSON line for each revocation: when it was made, and the request that makes it again. The list has revocations of
leases by viewer, content, pair or lease, of API keys (rotated ones too), of contents that were disabled and are not active again, and
blocks of viewers. A block that was lifted or has ended is made again as a revocation by viewer.
Making one again is harmless if the restored database has it. It also refuses tokens that were issued in between: those viewers
need a new token. Leases that viewers released themselves are only counted.

Lines are written with LOG_LEVEL=info or lower. If a line does not show what it revoked, the exit code is 1: look at the audit of that time.`,
    )
    .action(async (files: string[], options: RevocationsOptions) => {
      const since = readInstant(options.since, '--since');
      const absent = files.find((file) => !existsSync(file));
      if (absent !== undefined) throw refusal(`there is no file at ${absent}`);
      const access = options.redo && readServerAccess(options, context, '--redo');
      const found = await findRevocations(files, since, context.clock.now());
      for (const one of found.missing) {
        context.stdout.write(`${JSON.stringify(one)}\n`);
        if (access) await redo(access, one, context);
      }
      const counts = `${found.missing.length} revocations in ${found.lines} lines of that time`;
      const others =
        found.released === 0 ? '' : ` ${found.released} leases that viewers released are not listed.`;
      context.stderr.write(`${counts}${access ? ', all made again' : ''}.${others}\n`);
      if (found.unclear.length > 0)
        throw failure(
          `these lines do not show what they revoked: ${found.unclear.slice(0, 20).join(', ')}${found.unclear.length > 20 ? ', …' : ''}. Look at the audit`,
        );
    });
}

/** A resource that the restored database does not have needs no revocation, except for the mark of a lease. */
async function redo(access: ServerAccess, one: MissingRevocation, { signal }: CommandContext): Promise<void> {
  const { method, path, body, bodyWithoutLease } = one;
  try {
    await askServer(access, { method, path, body, signal });
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    if (bodyWithoutLease) await askServer(access, { method, path, body: bodyWithoutLease, signal });
  }
}

/** A revocation to make again, as the request that makes it. */
interface MissingRevocation {
  /** When it was made first. */
  at: string;
  requestId: string;
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: Readonly<Record<string, string | undefined>>;
  /** Instead of the body, if the restored database does not have the lease: the mark that the revocation left. */
  bodyWithoutLease?: MissingRevocation['body'];
}

/** A request that revokes, by its path alone: what an unreadable line shows. */
const revoking =
  /"\/keys\/leases\/revoke|"DELETE","path":"\/api\/v1\/(api-keys|content)\/|"path":"\/api\/v1\/viewers\/|\/api-keys\/[^"/]*\/rotate/;
const revokePath = '/keys/leases/revoke';

/**
 * Reads the revocations that were made at the given time or later. Of several with the same effect the last one counts. API keys
 * come last: the caller's own may be one of them.
 *
 * @param since milliseconds since 1970, as `now` is
 */
async function findRevocations(files: readonly string[], since: number, now: number) {
  const unclear: string[] = [];
  let lines = 0;
  const last = new Map<string, RevocationLine>();
  for (const file of files) {
    let number = 0;
    for await (const text of (await open(file)).readLines()) {
      number++;
      const line = readLine(text);
      if (line ? line.at < since : !revoking.test(text)) continue;
      lines++;
      const revocation = line?.revocation;
      if (!line || revocation?.viewerIdHash !== undefined) unclear.push(`${file}:${number}`);
      else if (revocation) {
        const key = keyOf(revocation);
        const known = last.get(key);
        // Lines of several processes are not in order.
        if (!known || known.at <= line.at) last.set(key, { ...line, revocation });
      }
    }
  }
  const { released = [], others = [] } = Object.groupBy(
    [...last.values()].sort((a, b) => a.at - b.at),
    ({ isViewer, revocation }) => (isViewer && revocation.leaseId !== undefined ? 'released' : 'others'),
  );
  const isOfApiKey = ({ path }: MissingRevocation) => path.startsWith('/api/v1/api-keys/');
  return {
    missing: others
      .flatMap((line) => toRequests(line, now))
      .sort((a, b) => Number(isOfApiKey(a)) - Number(isOfApiKey(b))),
    /** Leases that viewers released themselves. They end soon anyway, and would hide the rest. */
    released: released.length,
    /** Lines of requests that revoked something but do not show what: cut off, or with a hidden viewer. `file:line` each. */
    unclear,
    /** Lines in the time that was searched. */
    lines,
  };
}

type RevocationLine = NonNullable<ReturnType<typeof readLine>> & { revocation: LoggedRevocation };

/** Collectors put a name or a time before the line. Undefined if the text is not a line of the request log. */
function readLine(text: string) {
  try {
    const line = JSON.parse(text.slice(Math.max(0, text.indexOf('{')))) as Record<string, unknown>;
    const { time, requestId, principal, revocation } = line;
    const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    if (Number.isNaN(at) || typeof requestId !== 'string') return undefined;
    const isViewer = (principal as { kind?: unknown } | null)?.kind === 'viewer';
    return { at, requestId, isViewer, revocation: readLoggedRevocation(revocation) };
  } catch {
    return undefined;
  }
}

/** Names what is revoked, or whose status is set: a content may be active again, and a block lifted. */
function keyOf({ contentStatus, viewerStatus, blockedUntil: _, ...named }: LoggedRevocation): string {
  const isStatus = contentStatus !== undefined || viewerStatus !== undefined;
  return JSON.stringify([isStatus, Object.entries(named).sort()]);
}

function toRequests({ at, requestId, revocation }: RevocationLine, now: number): MissingRevocation[] {
  const { leaseId, viewerId, contentId, apiKeyId, contentStatus, viewerStatus, blockedUntil } = revocation;
  const made = { at: new Date(at).toISOString(), requestId };
  if (apiKeyId !== undefined) return [{ ...made, method: 'DELETE', path: `/api/v1/api-keys/${apiKeyId}` }];
  if (contentStatus === 'active') return [];
  if (contentStatus === 'disabled')
    return [{ ...made, method: 'DELETE', path: `/api/v1/content/${contentId}` }];
  if (viewerStatus === 'blocked' && !(Date.parse(blockedUntil ?? '') <= now)) {
    const path = `/api/v1/viewers/${encodeURIComponent(viewerId ?? '')}/block`;
    return [{ ...made, method: 'PUT', path, body: { until: blockedUntil } }];
  }
  // A block that was lifted or has ended was a revocation too, which still holds.
  const selector = { viewerId, contentId };
  if (leaseId === undefined) return [{ ...made, method: 'POST', path: revokePath, body: selector }];
  return [{ ...made, method: 'POST', path: revokePath, body: { leaseId }, bodyWithoutLease: selector }];
}
