import { createStore } from '../state/store.ts';
import type { ApiOptions } from './api.ts';
import { ApiError, readError } from './api-error.ts';
import { ofDashboard } from './rate-limit.ts';

/** An event on the server. Events can be lost, so they only hint at changes: lists have the current data. */
export interface ServerEvent {
  /** `lease`, `api-key`, `content` or `audit`; `missed` if some events were lost. */
  topic: string;
  /** Such as `created`. */
  event: string;
  data: unknown;
}

/** `off`: no subscribers. `broken`: the shown data may be out of date. */
export type StreamState = 'off' | 'opening' | 'live' | 'broken';

export interface EventsOptions extends Pick<ApiOptions, 'fetch' | 'credential' | 'onKeyRefused'> {
  /** Checks whether the server answers. A proxy can end a stream while the server is fine. */
  checkContact: () => void;
  /** The document. A hidden window closes its stream: browsers allow six connections to one server in all. */
  view: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;
}

/** The server sends a comment every 15 s. After two missing comments the stream is broken. */
const silenceMs = 35_000;
/** The value of the server's `retry` field. */
const retryMs = 2_000;
/** After a refusal. */
const refusedRetryMs = 10_000;

/** Reads `GET /api/v1/events` with fetch, because EventSource cannot send Authorization. Reconnects by itself. */
export function createEvents(options: EventsOptions) {
  const { view } = options;
  const state = createStore<StreamState>('off');
  const listeners = new Set<(event: ServerEvent) => void>();
  let open: AbortController | null = null;
  let lastEventId: string | null = null;

  const emit = (event: ServerEvent) => {
    for (const listener of [...listeners]) listener(event);
  };
  const onEvent = ({ name, data, id }: ServerSentEvent) => {
    lastEventId = id;
    const parsed = data === '' ? null : parse(data);
    if (parsed) emit({ topic: name, ...parsed });
  };
  const onOpen = () => {
    state.set('live');
    // The server reports what a resumed stream has missed. Before the first stream, events since the lists were read are
    // unknown.
    if (lastEventId === null) emit({ topic: 'missed', event: 'missed', data: {} });
  };
  const keepOpen = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const waitMs = await readOnce(options, lastEventId, signal, onOpen, onEvent);
      if (signal.aborted) return;
      state.set('broken');
      await pause(waitMs, signal);
    }
  };
  const close = () => {
    open?.abort();
    open = null;
  };
  const adjust = () => {
    if (view.visibilityState === 'hidden' || listeners.size === 0) return close();
    if (open) return;
    if (state.get() === 'off') state.set('opening');
    open = new AbortController();
    void keepOpen(open.signal);
  };

  return {
    state,
    /** The stream is open while there are subscribers. @returns ends the subscription */
    subscribe(listener: (event: ServerEvent) => void): () => void {
      if (listeners.size === 0) view.addEventListener('visibilitychange', adjust);
      listeners.add(listener);
      adjust();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        view.removeEventListener('visibilitychange', adjust);
        close();
        // The next subscriber reads its lists afresh, so it has missed nothing.
        lastEventId = null;
        state.set('off');
      };
    },
  };
}

/** Reads one stream to its end. Never rejects. @returns milliseconds to wait before the next stream */
async function readOnce(
  { fetch, credential, onKeyRefused, checkContact }: EventsOptions,
  lastEventId: string | null,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: ServerSentEvent) => void,
): Promise<number> {
  const bearer = credential();
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await fetch('/api/v1/events', {
      cache: 'no-store',
      headers: {
        accept: 'text/event-stream',
        ...ofDashboard,
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
      },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok) throw await readError(response);
    onOpen();
    const parser = createEventParser();
    const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return retryMs;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      for (const event of parser(value)) onEvent(event);
    }
  } catch (error) {
    if (signal.aborted) return 0;
    if (!(error instanceof ApiError)) {
      checkContact();
      return retryMs;
    }
    if (error.code === 'INVALID_API_KEY' && bearer !== null) onKeyRefused(bearer);
    return Math.max(refusedRetryMs, (error.retryAfterSeconds ?? 0) * 1_000);
  } finally {
    clearTimeout(timer);
  }
}

function parse(data: string): Omit<ServerEvent, 'topic'> | null {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

/** Resolves early if it is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve());
  });
}

/** One event of a stream of server-sent events (HTML, section 9.2.6). */
interface ServerSentEvent {
  /** `message` if the stream does not name the event. */
  name: string;
  /** The `data` lines, joined by line breaks; empty for a block that only sets the ID. */
  data: string;
  /** The latest ID that the stream has set, or null. */
  id: string | null;
}

/**
 * Parses a stream in pieces, which can end anywhere.
 *
 * @returns takes the next piece and returns the events that are complete by then, without comments
 */
export function createEventParser(): (piece: string) => ServerSentEvent[] {
  let rest = '';
  let id: string | null = null;
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = block.split('\n').map(readField);
      id = fields.findLast(([name]) => name === 'id')?.[1] ?? id;
      const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
      if (data.length === 0 && !fields.some(([name]) => name === 'id')) return [];
      const name = fields.findLast(([field]) => field === 'event')?.[1] ?? 'message';
      return [{ name, data: data.join('\n'), id }];
    });
  };
}

/** Splits a line into name and value. The name of a comment is empty. */
function readField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
