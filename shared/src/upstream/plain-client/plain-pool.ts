import { channel } from 'node:diagnostics_channel';
import type { Clock } from '../../clock/clock.ts';
import { type ConnectionOwner, PlainConnection } from './plain-connection.ts';
import { type AnswerHandler, neverSent, type PlainRequest, requestHead } from './plain-request.ts';

/** Tools that trace requests subscribe to these. They must see every request, so undici then sends all of them. */
const tracedBy = ['create', 'headers', 'trailers'].map((event) => channel(`undici:request:${event}`));

/** How long an address that does not repeat ids is left to undici. Something between may have been replaced by then. */
const anonymousMs = 60_000;

/** Connections to one address for `GET` requests without a body. The caller bounds their number. */
export interface PlainPool {
  /** Whether it can send requests there at the moment. Otherwise undici does. */
  isUsable(): boolean;
  /**
   * Sends a request on an idle connection, or else on a new one. It fails where the pool is closed, as one that was never sent.
   *
   * @param id of the header `x-request-id`, which is one of `headers`
   * @param headers names and values in turn
   */
  send(path: string, id: string, headers: readonly string[], handler: AnswerHandler): void;
  /** Ends idle connections at once, and others after their answers. */
  close(): void;
  destroy(): void;
}

interface PlainPoolOptions
  extends Pick<ConnectionOwner, 'connectTimeoutMs' | 'keepAliveMs' | 'bodyTimeoutMs'> {
  /** Such as `http://10.0.0.7:4101`. */
  origin: string;
  clock: Clock;
}

/** @returns null for an origin with TLS, which is left to undici */
export function openPlainPool({ origin, clock, ...limits }: PlainPoolOptions): PlainPool | null {
  const { protocol, hostname, port, host } = new URL(origin);
  if (protocol !== 'http:') return null;
  const open = new Set<PlainConnection>();
  /** The one that was used last comes first, so that those that are not needed end. */
  const idle: PlainConnection[] = [];
  let isClosing = false;
  let repeatsIds = false;
  let anonymousUntilMs = Number.NEGATIVE_INFINITY;

  const owner: ConnectionOwner = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 80),
    ...limits,
    onIdle(connection) {
      if (isClosing) connection.abort(closed());
      else idle.push(connection);
    },
    onClosed(connection) {
      open.delete(connection);
      const index = idle.indexOf(connection);
      if (index >= 0) idle.splice(index, 1);
    },
    repeatsIds: () => repeatsIds,
    onFirstAnswer(repeatsId) {
      if (repeatsId) repeatsIds = true;
      else anonymousUntilMs = clock.monotonic() + anonymousMs;
    },
  };

  return {
    isUsable: () => clock.monotonic() >= anonymousUntilMs && !tracedBy.some((one) => one.hasSubscribers),
    send(path, id, headers, handler) {
      // Later: the failure of a request sends the next one that waits, and thousands may.
      const fail = (error: Error) => queueMicrotask(() => handler.onResponseError(noConnection, error));
      if (isClosing) return fail(closed());
      const request: PlainRequest = { id, head: '', handler };
      try {
        request.head = requestHead(host, path, headers);
      } catch (error) {
        return fail(error as Error);
      }
      const connection = idle.pop();
      if (connection) connection.send(request);
      else open.add(new PlainConnection(owner, request));
    },
    close() {
      isClosing = true;
      for (const connection of [...idle]) connection.abort(closed());
    },
    destroy() {
      isClosing = true;
      for (const connection of [...open]) connection.abort(new Error('this process ends'));
    },
  };
}

/** The controller of a request that has no connection. */
const noConnection = { abort() {}, pause() {}, resume() {} };

const closed = () => neverSent('the address is no longer used');
