import { Readable } from 'node:stream';
import type { Bus, Notice } from '@latchkey/shared/events';

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
export type StreamRoom = 'free' | 'full-for-key' | 'full';

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
  /** A UUID that distinguishes this process's events from those of other processes and of its last run. */
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
