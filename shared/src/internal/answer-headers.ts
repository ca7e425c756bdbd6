import type { IncomingHttpHeaders } from 'node:http';
import { type LoggedRevocation, readLoggedRevocation } from '../contracts/index.ts';
import { codes, type ErrorCode } from '../errors/errors.ts';
import { authorityLimitMs } from '../events/index.ts';
import { type App, addAnswerHeaders } from '../http/index.ts';
import type { RequestFailure } from '../log/index.ts';
import { phaseHeader } from '../upstream/index.ts';

/** Prefix of every header between the gateway and a service. None of them reaches a client. */
export const internalHeaderPrefix = 'x-latchkey-';
/** From the gateway: the client is this machine itself, with no proxy between. */
export const isDirectHeader = 'x-latchkey-direct';

/** From the gateway, on calls of setup: why a page of another origin makes it (`ForeignPageReason`). */
export const foreignPageHeader = 'x-latchkey-foreign-page';

/** From the gateway: the person whom a proxy with sign-on named. */
const personHeader = 'x-latchkey-person';

/** The header with the person, for a request to a service. */
export function personHeaders(person: string | null | undefined): Record<string, string> {
  return person ? { [personHeader]: encodeURIComponent(person.toWellFormed()) } : {};
}

/** The person whom the sender has verified. The caller has checked that the request comes from a process of the installation. */
export function readPersonHeader(headers: IncomingHttpHeaders): string | null {
  return decode(text(headers[personHeader])) || null;
}

const principalHeader = 'x-latchkey-principal';
const codeHeader = 'x-latchkey-code';
const routeHeader = 'x-latchkey-route';
const failureHeader = 'x-latchkey-failure';
const revocationHeader = 'x-latchkey-revocation';

/** Adds to each answer, for the gateway, who acted, what was refused or revoked, and which route it was. */
export function addLogHeaders(app: App): void {
  addAnswerHeaders(app, (request, reply) => {
    const { principal, errorCode, failure, revocation, routeOptions } = request;
    // An id may contain any character; a header may not.
    if (principal)
      reply.header(
        principalHeader,
        `${principal.kind} ${encodeURIComponent((principal.id ?? '').toWellFormed())}`,
      );
    if (errorCode) reply.header(codeHeader, errorCode);
    if (failure) reply.header(failureHeader, writeFailure(failure));
    if (revocation) reply.header(revocationHeader, encodeURIComponent(JSON.stringify(revocation)));
    if (!request.is404 && routeOptions.url) reply.header(routeHeader, routeOptions.url);
  });
}

/** Reads the headers that `addLogHeaders` wrote: facts for the gateway's log line that only the service knows. Malformed headers are ignored. */
export function readLogHeaders(headers: IncomingHttpHeaders) {
  // The bootstrap API key has no id, and a reader of HTTP may drop the space at the end of a value (RFC 9112 section 5).
  const [, kind, id] = /^([a-z-]+(?= )|api-key)(?: (.*))?$/.exec(text(headers[principalHeader])) ?? [];
  const code = text(headers[codeHeader]);
  const revocation = readRevocation(text(headers[revocationHeader]));
  return {
    principal: kind === undefined ? null : { kind, id: decode(id ?? '') || null },
    code: Object.hasOwn(codes, code) ? (code as ErrorCode) : null,
    route: text(headers[routeHeader]) || null,
    // Only a few answers have one.
    failure: headers[failureHeader] === undefined ? null : readFailure(text(headers[failureHeader])),
    ...(revocation && { revocation }),
  };
}

/** As `2 leases connect%20ECONNREFUSED`, with `-` for a missing part. */
function writeFailure({ cause, upstream, tries }: RequestFailure): string {
  return `${tries ?? '-'} ${encodeURIComponent(upstream ?? '-')} ${encodeURIComponent(cause.toWellFormed())}`;
}

function readFailure(value: string): RequestFailure | null {
  const [, tries, upstream = '', cause = ''] = /^(\d{1,3}|-) (\S{1,600}) (\S{0,3000})$/.exec(value) ?? [];
  if (tries === undefined) return null;
  return {
    cause: decode(cause),
    upstream: upstream === '-' ? null : decode(upstream),
    tries: tries === '-' ? null : Number(tries),
  };
}

function readRevocation(value: string): LoggedRevocation | undefined {
  if (value === '') return undefined;
  try {
    return readLoggedRevocation(JSON.parse(decode(value)));
  } catch {
    return undefined;
  }
}

function text(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function decode(value: string): string {
  // Most ids need no encoding.
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}

/**
 * A second before the usual 5 s after which states are unknown, so that requests go elsewhere before the first of them
 * fails. Above the 3 s that two reads of the feed take where the first address is silent for its 2 s. It does not grow
 * with a longer limit: a replica that receives revocations is always the better choice.
 */
const latestUnsureMs = 4_000;
const unsurePart = 0.8;

/**
 * Marks every answer of a process that no longer receives changes: its cached states are unknown, or soon will be. The
 * caller then prefers another replica that is up to date.
 *
 * @param ageMs how long ago the change feed was known to have been read to its end; null before the first time
 * @param limitMs the age after which a state without confirmation is unknown
 */
export function announceUnsure(app: App, ageMs: () => number | null, limitMs = authorityLimitMs): void {
  const unsureAfterMs = Math.min(latestUnsureMs, limitMs * unsurePart);
  app.addHook('onRequest', (_request, reply, done) => {
    if ((ageMs() ?? 0) > unsureAfterMs && !reply.hasHeader(phaseHeader)) reply.header(phaseHeader, 'unsure');
    done();
  });
}
