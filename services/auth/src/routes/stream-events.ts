import { Readable } from 'node:stream';
import { assertScope, hashCredential, readBearer } from '@latchkey/shared/auth';
import { AppError, problems } from '@latchkey/shared/errors';
import type { Bus, Notice } from '@latchkey/shared/events';
import type { App } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import type { FastifyReply } from 'fastify';
import type { AuthRouteOptions } from '../auth-route-options.ts';

const path = '/api/v1/events';
const config = { access: 'manage', contents: 'whole-server', action: 'events.stream', limit: 'api' } as const;

/** `GET /api/v1/events`: server-sent events. */
export function addStreamEventsRoute(app: App, { bus, guard, randomId }: AuthRouteOptions): void {
  const streams = createEventStreams({ bus, id: randomId() });
  // Before the server waits for its connections to end: streams do not end by themselves.
  app.addHook('preClose', async () => streams.close());

  app.get(
    path,
    {
      exposeHeadRoute: false,
      config,
      schema: {
        tags: ['Audit'],
        operationId: 'streamEvents',
        summary: 'Server-sent events of leases, API keys, content and the audit',
        description:
          'Events `lease`, `api-key`, `content` and `audit`; data is JSON: `event` (what happened) and `data` (the resource). ' +
          'A hint for displays: events can be missed, so load the lists again after a reconnection. A reconnection with ' +
          '`Last-Event-ID` gets the event `missed` first, unless nothing happened in between and the same process answers. ' +
          'A comment comes every 15 s: a stream that is silent for longer is broken. An API key may have 32 streams open at each ' +
          'process of the auth service, the next one gets 429. With 512 open in all, the next one gets 503.',
        response: {
          200: {
            description: 'An endless stream of events',
            content: { 'text/event-stream': { schema: Type.String() } },
          },
          ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    (request, reply) => {
      const credential = readBearer(request.headers);
      const keyHash = hashCredential(credential ?? '');
      refuseWithoutRoom(streams.room(keyHash));
      const stream = streams.open({
        keyHash,
        isStillAllowed: async () => {
          assertScope(await guard.authenticator.identify(credential, config.access), config.access);
          return true;
        },
        unsentBytes: () => reply.raw.writableLength,
        lastEventId: lastEventIdOf(request.headers['last-event-id']),
      });
      setHeaders(reply).send(stream);
    },
  );
  // To answer HEAD, Node would read the stream to its end, and it has no end.
  app.head(path, { config, schema: { hide: true } }, (_request, reply) => setHeaders(reply).send(null));
}

/** Streams end when tabs are closed, so there may be room soon. */
const retryAfterSeconds = 10;

/** @throws AppError RATE_LIMITED or DEPENDENCY_UNAVAILABLE: without a limit, streams would take all connections */
function refuseWithoutRoom(room: StreamRoom): void {
  if (room === 'free') return;
  if (room === 'full')
    throw new AppError('DEPENDENCY_UNAVAILABLE', {
      detail: 'No further stream can be opened.',
      retryAfterSeconds,
    });
  throw new AppError('RATE_LIMITED', {
    detail: 'This API key has as many streams open as it may. Close one.',
    retryAfterSeconds,
  });
}

/** Only a single value says where the last stream ended. */
function lastEventIdOf(header: string | string[] | undefined): string | null {
  return header === undefined ? null : String(header);
}

function setHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    // The connection is not reused: an idle one would delay the end of the server.
    connection: 'close',
    // nginx would buffer events otherwise.
    'x-accel-buffering': 'no',
  });
}

/** Proxies close connections that are silent for 30 s to 60 s. Each comment that prevents it also checks the key again. */
const defaultHeartbeatMs = 15_000;
/** Some thousand notices. A client that is further behind is disconnected and reconnects: otherwise it would fill the memory. */
const defaultBacklogBytes = 1024 * 1024;
/** Streams of one API key: the tabs of a team that shares it. */
const defaultStreamsPerKey = 32;
/** Streams of one process: enough for 16 keys at their limit. Each takes a connection and some KB. */
const defaultStreams = 512;
/** How long a client waits before it reconnects. */
const retryMs = 2_000;

const defaults = {
  heartbeatMs: defaultHeartbeatMs,
  backlogBytes: defaultBacklogBytes,
  streamsPerKey: defaultStreamsPerKey,
  streams: defaultStreams,
};

/** A client of the event stream. */
interface Watcher {
  /** SHA-256 of the API key that opened the stream. A change that names it makes the stream check the key at once. */
  keyHash: string;
  /** Whether that key would still open the stream. A rejection counts as no. */
  isStillAllowed: () => Promise<boolean>;
  /** Bytes that were written to the connection and not sent yet. */
  unsentBytes: () => number;
  /** `Last-Event-ID`: where the stream that this one continues ended. Null for a first one. */
  lastEventId?: string | null;
}

/** For whom no further stream can be opened: nobody, this API key, or every caller. */
type StreamRoom = 'free' | 'full-for-key' | 'full';

/** The open event streams of one process. */
interface EventStreams {
  /** Whether one more may be opened. Call it in the same turn of the event loop as `open`. @param keyHash of the `Watcher` */
  room(keyHash: string): StreamRoom;
  /**
   * A stream of server-sent events (HTML, section 9.2.6). It ends when its API key does. A stream that continues another begins
   * with the event `missed` if anything may have happened in between.
   */
  open(watcher: Watcher): Readable;
  /** Ends all streams at once, and each one that is opened later. */
  close(): void;
}

interface EventStreamsOptions {
  bus: Bus;
  /** A UUID that distinguishes the events of this process from the events of other processes and of its last run. */
  id: string;
  heartbeatMs?: number;
  backlogBytes?: number;
  streamsPerKey?: number;
  /** Of all keys together. */
  streams?: number;
}

export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { bus, id, heartbeatMs, backlogBytes, streamsPerKey, streams } = { ...defaults, ...options };
  const watchers = new Map<Readable, Watcher>();
  let closed = false;
  let lastNumber = 0;
  const lastId = () => `${id}-${lastNumber}`;

  const send = (stream: Readable, watcher: Watcher, text: string) => {
    // After the end nothing may be written.
    if (!watchers.has(stream)) return;
    stream.push(text);
    if (stream.readableLength + watcher.unsentBytes() > backlogBytes) stream.destroy();
  };
  const end = (stream: Readable) => void (watchers.delete(stream) && stream.push(null));
  const recheck = async (stream: Readable, watcher: Watcher) => {
    // The caches receive the change in the same turn, perhaps after this code, so the check waits for the next turn.
    await Promise.resolve();
    if (!(await watcher.isStillAllowed().catch(() => false))) end(stream);
  };

  const unsubscribe = bus.subscribe((message) => {
    if ('notice' in message) {
      // Counted without clients, too: one that reconnects must learn that it missed something.
      lastNumber++;
      if (watchers.size === 0) return;
      const text = toServerSentEvent(message.notice, lastId());
      for (const [stream, watcher] of watchers) send(stream, watcher, text);
    } else if (message.type === 'change' && message.change.kind === 'api-key') {
      const { keyHash } = message.change;
      for (const [stream, watcher] of watchers)
        if (watcher.keyHash === keyHash) void recheck(stream, watcher);
    }
  });

  return {
    room(keyHash) {
      if (watchers.size >= streams) return 'full';
      const own = [...watchers.values()].filter((watcher) => watcher.keyHash === keyHash);
      return own.length >= streamsPerKey ? 'full-for-key' : 'free';
    },
    open(watcher) {
      const stream = beginStream(watcher, lastId());
      if (closed) {
        stream.push(null);
        return stream;
      }
      watchers.set(stream, watcher);
      stream.once('close', () => watchers.delete(stream));
      beatUntilClosed(stream, heartbeatMs, () => {
        send(stream, watcher, ':\n\n');
        void recheck(stream, watcher);
      });
      // The key may have been revoked between the check of the request and now.
      void recheck(stream, watcher);
      return stream;
    },
    close() {
      closed = true;
      unsubscribe();
      for (const [stream, watcher] of watchers) {
        // A client that does not read would not read the end either.
        if (stream.readableLength + watcher.unsentBytes() > 0) stream.destroy();
        else end(stream);
      }
    },
  };
}

/** Missed events are not stored: the client reads the lists again. */
const missed = `event: missed\ndata: ${JSON.stringify({ event: 'missed', data: {} })}\n\n`;

/** JSON has no line breaks, so one `data` line holds it all. */
function toServerSentEvent({ topic, event, data }: Notice, id: string): string {
  return `event: ${topic}\ndata: ${JSON.stringify({ event, data })}\nid: ${id}\n\n`;
}

function beginStream({ lastEventId = null }: Watcher, lastId: string): Readable {
  const stream = new Readable({ read() {} });
  stream.push(`retry: ${retryMs}\nid: ${lastId}\n\n`);
  if (lastEventId !== null && lastEventId !== lastId) stream.push(missed);
  return stream;
}

function beatUntilClosed(stream: Readable, everyMs: number, beat: () => void): void {
  const heartbeat = setInterval(beat, everyMs);
  heartbeat.unref();
  stream.once('close', () => clearInterval(heartbeat));
}
