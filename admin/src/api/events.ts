import { createStore, type Store } from '../state/store.ts';
import type { ApiOptions } from './api.ts';
import { ApiError, readError } from './api-error.ts';
import { createEventParser, type ServerSentEvent } from './server-sent-events.ts';

/** What happened on the server. A hint for displays: some may be missing, so the lists are the truth. */
export interface ServerEvent {
  /** `lease`, `api-key`, `content` or `audit`; `missed` where some were lost on the way. */
  topic: string;
  /** Such as `created`. */
  event: string;
  data: unknown;
}

/** `off`: nobody listens. `broken`: what is shown may be out of date. */
export type StreamState = 'off' | 'opening' | 'live' | 'broken';

export interface Events {
  state: Store<StreamState>;
  /** The stream is open for as long as somebody listens. @returns what ends it */
  subscribe(listener: (event: ServerEvent) => void): () => void;
}

export interface EventsOptions extends Pick<ApiOptions, 'fetch' | 'credential' | 'onKeyRefused'> {
  /** Finds out whether the server is there. A stream that breaks off may be a proxy's doing alone. */
  checkContact: () => void;
  /** The document. A window that nobody sees keeps no stream: browsers have six connections for one server in all. */
  view: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;
}

/** The server sends a comment every 15 s: whoever hears nothing for two of them hears nothing more. */
const silenceMs = 35_000;
/** As the server asks for, in its `retry` field. */
const retryMs = 2_000;
/** After an answer that is a refusal. */
const refusedRetryMs = 10_000;

/** `GET /api/v1/events` by fetch, because EventSource sends no Authorization. Comes back by itself. */
export function createEvents(options: EventsOptions): Events {
  const { view } = options;
  const state = createStore<StreamState>('off');
  const listeners = new Set<(event: ServerEvent) => void>();
  let open: AbortController | null = null;
  let lastEventId: string | null = null;

  const tell = (event: ServerEvent) => {
    for (const listener of [...listeners]) listener(event);
  };
  const onEvent = ({ name, data, id }: ServerSentEvent) => {
    lastEventId = id;
    const said = data === '' ? null : parse(data);
    if (said) tell({ topic: name, ...said });
  };
  const onOpen = () => {
    state.set('live');
    // The server knows what a stream missed that goes on from another. Before the first one anything may have happened
    // since the lists were read.
    if (lastEventId === null) tell({ topic: 'missed', event: 'missed', data: {} });
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
    subscribe(listener) {
      if (listeners.size === 0) view.addEventListener('visibilitychange', adjust);
      listeners.add(listener);
      adjust();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        view.removeEventListener('visibilitychange', adjust);
        close();
        // Whoever listens next loads its lists anew: nothing was missed.
        lastEventId = null;
        state.set('off');
      };
    },
  };
}

/** Reads one stream to its end. Never rejects. @returns how long to wait before the next */
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

/** Resolves early where it is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
