import { expect, it, onTestFinished, vi } from 'vitest';
import { createEventParser, createEvents, type EventsOptions, type ServerEvent } from './events.ts';

type View = EventsOptions['view'] & { show: (isShown: boolean) => void };

function createView(): View {
  let onChange = () => {};
  return {
    visibilityState: 'visible',
    addEventListener: (_name: string, listener: unknown) => {
      onChange = listener as () => void;
    },
    removeEventListener: () => {},
    show(isShown) {
      Object.assign(this, { visibilityState: isShown ? 'visible' : 'hidden' });
      onChange();
    },
  } as View;
}

/** A server whose streams are controlled by the test. */
function createServer(refusals: Response[] = []) {
  const requests: {
    headers: Headers;
    signal: AbortSignal;
    write: (text: string) => void;
  }[] = [];
  const fetch = (async (_url: string, init: RequestInit) => {
    const refusal = refusals.shift();
    if (refusal) return refusal;
    let control: ReadableStreamDefaultController | undefined;
    const body = new ReadableStream({
      start(controller) {
        control = controller;
      },
    });
    init.signal?.addEventListener('abort', () => control?.error(new Error('aborted')));
    requests.push({
      headers: new Headers(init.headers),
      signal: init.signal as AbortSignal,
      write: (text) => control?.enqueue(new TextEncoder().encode(text)),
    });
    return new Response(body);
  }) as typeof globalThis.fetch;
  return { fetch, requests };
}

function start(refusals: Response[] = []) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const server = createServer(refusals);
  const view = createView();
  const spies = { onKeyRefused: vi.fn(), checkContact: vi.fn() };
  const events = createEvents({ fetch: server.fetch, credential: () => 'lk_key', ...spies, view });
  const received: ServerEvent[] = [];
  const stop = events.subscribe((event) => received.push(event));
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  return { ...server, ...spies, view, events, received, stop, settle };
}

it('a stream delivers events, and reports possibly missed ones when it opens', async () => {
  const { requests, received, events, settle, stop } = start();
  expect(events.state.get()).toBe('opening');
  await settle();
  requests[0]?.write('retry: 2000\nid: a-0\n\nevent: lease\ndata: {"event":"created","data":{"id":"x"}}\n\n');
  await settle();
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer lk_key');
  expect(events.state.get()).toBe('live');
  expect(received).toEqual([
    { topic: 'missed', event: 'missed', data: {} },
    { topic: 'lease', event: 'created', data: { id: 'x' } },
  ]);
  stop();
  expect([events.state.get(), requests[0]?.signal.aborted]).toEqual(['off', true]);
});

it('a stream without a comment for two intervals is broken, even on an open connection', async () => {
  const { requests, checkContact, settle, stop } = start();
  await settle(30_000);
  requests[0]?.write(':\n\n');
  await settle(34_000);
  expect(requests).toHaveLength(1);
  await settle(3_500);
  expect(requests).toHaveLength(2);
  expect(checkContact).toHaveBeenCalled();
  stop();
});

it('a refused key is reported, and the stream waits longer before its next attempt', async () => {
  const problem = { code: 'INVALID_API_KEY', title: 'no' };
  const refusal = Response.json(problem, {
    status: 401,
    headers: { 'content-type': 'application/problem+json' },
  });
  const { requests, onKeyRefused, checkContact, settle, stop } = start([refusal]);
  await settle(9_000);
  expect(onKeyRefused).toHaveBeenCalledWith('lk_key');
  expect([requests.length, checkContact.mock.calls.length]).toEqual([0, 0]);
  stop();
});

it('a hidden window closes its stream', async () => {
  const { requests, view, settle, stop } = start();
  await settle();
  requests[0]?.write('id: a-1\n\n');
  await settle();
  view.show(false);
  await settle(60_000);
  expect([requests.length, requests[0]?.signal.aborted]).toEqual([1, true]);
  view.show(true);
  await settle();
  expect(requests[1]?.headers.get('last-event-id')).toBe('a-1');
  stop();
});

/** Parses a stream that arrives in these pieces. */
const parseAll = (...pieces: string[]) => {
  const parse = createEventParser();
  return pieces.flatMap((piece) => parse(piece));
};

it('events are parsed with name, data and ID, wherever the pieces break', () => {
  const text =
    'retry: 2000\nid: a-0\n\nevent: lease\ndata: {"event":"created"}\nid: a-1\n\n:\n\ndata: x\ndata: y\n\n';
  const events = [
    { name: 'message', data: '', id: 'a-0' },
    { name: 'lease', data: '{"event":"created"}', id: 'a-1' },
    { name: 'message', data: 'x\ny', id: 'a-1' },
  ];
  expect(parseAll(text)).toEqual(events);
  expect(parseAll(...text)).toEqual(events);
});

it('both kinds of line breaks are parsed, and comments and incomplete events are left out', () => {
  expect(parseAll(': hello\r\n\r\nevent: audit\r\ndata:1\r\n\r\nevent: lease\r\ndata: never ended')).toEqual([
    { name: 'audit', data: '1', id: null },
  ]);
});
