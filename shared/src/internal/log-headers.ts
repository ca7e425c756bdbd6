import type { IncomingHttpHeaders } from 'node:http';
import { codes, type ErrorCode } from '../errors/errors.ts';
import type { App } from '../http/index.ts';

/** Prefix of every header between the gateway and a service. None of them reaches a client. */
export const internalHeaderPrefix = 'x-latchkey-';
/** From the gateway: the client is this machine itself, with no proxy between. */
export const isDirectHeader = 'x-latchkey-direct';

/** From the gateway, on calls of setup: why a page of another origin makes it (`ForeignPageReason`). */
export const foreignPageHeader = 'x-latchkey-foreign-page';

const principalHeader = 'x-latchkey-principal';
const codeHeader = 'x-latchkey-code';
const routeHeader = 'x-latchkey-route';

/** The facts for the gateway's log line that only the service knows. */
interface LogFacts {
  principal: { kind: string; id: string | null } | null;
  code: ErrorCode | null;
  route: string | null;
}

/** Adds to each answer, for the gateway, who acted, what was refused and which route it was. */
export function addLogHeaders(app: App): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { principal, errorCode, routeOptions } = request;
    // An id may contain any character; a header may not.
    if (principal)
      reply.header(
        principalHeader,
        `${principal.kind} ${encodeURIComponent((principal.id ?? '').toWellFormed())}`,
      );
    if (errorCode) reply.header(codeHeader, errorCode);
    if (!request.is404 && routeOptions.url) reply.header(routeHeader, routeOptions.url);
    done();
  });
}

/** Reads the headers that `addLogHeaders` wrote. Malformed headers are ignored. */
export function readLogHeaders(headers: IncomingHttpHeaders): LogFacts {
  const [, kind, id] = /^([a-z-]+) (.*)$/.exec(text(headers[principalHeader])) ?? [];
  const code = text(headers[codeHeader]);
  return {
    principal: kind === undefined ? null : { kind, id: decode(id ?? '') || null },
    code: Object.hasOwn(codes, code) ? (code as ErrorCode) : null,
    route: text(headers[routeHeader]) || null,
  };
}

function text(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
