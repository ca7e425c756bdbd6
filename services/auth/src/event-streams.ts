import { Readable } from 'node:stream';
import type { Bus, Notice } from '@latchkey/shared/events';

/** Proxies close what is silent for 30 s to 60 s, so a comment goes out well before; each one checks the key again too. */
const defaultHeartbeatMs = 15_000;
/** Some thousand notices. Who is further behind is dropped and comes back, rather than fill the server's memory. */
const defaultBacklogOctets = 1024 * 1024;
/** Streams of one API key: the tabs of everyone in a team that shares it. */
const defaultStreamsPerKey = 32;
/** Streams of one process: 16 keys that use theirs up. Each takes a connection, and some KB. */
const defaultStreams = 512;
/** How long a client waits before it comes back. */
const retryMs = 2_000;

/** Someone who watches. */
interface Watcher {
  /** SHA-256 of the API key that opened the stream. A change that names it has the key checked at once. */
  keyHash: string;
  /** Whether that key would still open the stream. A rejection counts as no. */
  isStillAllowed: () => Promise<boolean>;
  /** Octets handed to the connection that it has not sent. */
  unsentOctets: () => number;
  /** `Last-Event-ID`: where the stream that this one goes on from broke off. Null for a first one. */
  lastEventId?: string | null;
}

/** Who has to wait for a stream to end before there is room: nobody, this API key, or everyone. */
export type StreamRoom = 'free' | 'full-for-key' | 'full';

/** The open event streams of one process. */
export interface EventStreams {
  /** Whether one more may be opened. To be asked in the same turn as `open`. @param keyHash of the `Watcher` */
  room(keyHash: string): StreamRoom;
  /**
   * A stream of server-sent events (HTML, section 9.2.6), which ends when the watcher may no longer watch. One that goes on
   * from another begins with the event `missed` where anything may have happened in between.
   */
  open(watcher: Watcher): Readable;
  /** Ends all of them, and all that are opened later, at once. */
  close(): void;
}

export interface EventStreamsOptions {
  bus: Bus;
  /** Tells this process's events from those of others and of its own last run: a UUID. */
  id: string;
  heartbeatMs?: number;
  backlogOctets?: number;
  streamsPerKey?: number;
  /** Of all keys together. */
  streams?: number;
}

export function createEventStreams({
  bus,
  id,
  heartbeatMs = defaultHeartbeatMs,
  backlogOctets = defaultBacklogOctets,
  streamsPerKey = defaultStreamsPerKey,
  streams = defaultStreams,
}: EventStreamsOptions): EventStreams {
  const watchers = new Map<Readable, Watcher>();
  let closed = false;
  let lastNumber = 0;
  const lastId = () => `${id}-${lastNumber}`;

  const send = (stream: Readable, watcher: Watcher, text: string) => {
    // Nothing may follow the end.
    if (!watchers.has(stream)) return;
    stream.push(text);
    if (stream.readableLength + watcher.unsentOctets() > backlogOctets) stream.destroy();
  };
  const end = (stream: Readable) => {
    if (watchers.delete(stream)) stream.push(null);
  };
  const recheck = async (stream: Readable, watcher: Watcher) => {
    // The caches hear of a change in the same turn as this does, and may do so after it.
    await Promise.resolve();
    const allowed = await watcher.isStillAllowed().catch(() => false);
    if (!allowed) end(stream);
  };

  const unsubscribe = bus.subscribe((message) => {
    if ('notice' in message) {
      // Counted though nobody watches: who comes back is to hear that something was missed.
      lastNumber++;
      if (watchers.size === 0) return;
      const text = toServerSentEvent(message.notice, lastId());
      for (const [stream, watcher] of watchers) send(stream, watcher, text);
    } else if (message.change.kind === 'api-key') {
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
      const stream = new Readable({ read() {} });
      stream.push(`retry: ${retryMs}\nid: ${lastId()}\n\n`);
      const { lastEventId = null } = watcher;
      if (lastEventId !== null && lastEventId !== lastId()) stream.push(missed);
      if (closed) {
        stream.push(null);
        return stream;
      }
      watchers.set(stream, watcher);
      const heartbeat = setInterval(() => {
        send(stream, watcher, ':\n\n');
        void recheck(stream, watcher);
      }, heartbeatMs);
      heartbeat.unref();
      stream.once('close', () => {
        clearInterval(heartbeat);
        watchers.delete(stream);
      });
      // The key may have been revoked between the check of the request and now.
      void recheck(stream, watcher);
      return stream;
    },
    close() {
      closed = true;
      unsubscribe();
      for (const [stream, watcher] of watchers) {
        // A client that does not read would never take the end either.
        if (stream.readableLength + watcher.unsentOctets() > 0) stream.destroy();
        else end(stream);
      }
    },
  };
}

/** What was missed is not kept: the lists have it. */
const missed = `event: missed\ndata: ${JSON.stringify({ event: 'missed', data: {} })}\n\n`;

/** JSON has no line breaks, so one `data` line holds it all. */
function toServerSentEvent({ topic, event, data }: Notice, id: string): string {
  return `event: ${topic}\ndata: ${JSON.stringify({ event, data })}\nid: ${id}\n\n`;
}
