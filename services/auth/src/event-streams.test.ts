import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createInProcessBus, type Notice } from '@latchkey/shared/events';
import { describe, expect, it } from 'vitest';
import { createEventStreams } from './routes/stream-events.ts';

const notice: Notice = { topic: 'content', event: 'updated', data: { id: 'a', name: 'line\nbreak' } };

function start(options: { heartbeatMs?: number; backlogBytes?: number } = {}) {
  const bus = createInProcessBus((error) => {
    throw error;
  });
  const streams = createEventStreams({ bus, id: 'run', ...options });
  const key = { allowed: true, checks: 0 };
  const watcher = {
    keyHash: 'hash',
    isStillAllowed: async () => {
      key.checks++;
      return key.allowed;
    },
    unsentBytes: () => 0,
  };
  return {
    streams,
    key,
    watcher,
    say: () => bus.publish({ type: 'notice', notice }),
    change: (keyHash: string) =>
      bus.publish({
        type: 'change',
        number: 1,
        at: 1,
        link: { id: 'a', previous: null },
        change: { kind: 'api-key', keyHash },
      }),
  };
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function readUntil(stream: Readable, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (pattern.test(text)) return text;
  }
  throw new Error(`ended with ${text}`);
}

it('event streams are limited for each API key and in all, and one that ends makes room for another', () => {
  const streams = createEventStreams({
    bus: createInProcessBus(() => {}),
    id: 'x',
    streamsPerKey: 2,
    streams: 3,
  });
  const open = (keyHash: string) =>
    streams.open({ keyHash, isStillAllowed: async () => true, unsentBytes: () => 0 });
  const first = open('a');
  expect(streams.room('a')).toBe('free');
  open('a');
  expect([streams.room('a'), streams.room('b')]).toEqual(['full-for-key', 'free']);
  open('b');
  expect([streams.room('a'), streams.room('c')]).toEqual(['full', 'full']);
  first.destroy();
  return expect.poll(() => streams.room('a')).toBe('free');
});

describe('an event stream', () => {
  it('an event stream begins with the time to wait before a reconnection, then has one event for each notice', async () => {
    const { streams, watcher, say } = start();
    const stream = streams.open(watcher);
    say();
    const text = await readUntil(stream, /content[\s\S]*\n\n/);
    expect(text).toBe(
      'retry: 2000\nid: run-0\n\nevent: content\ndata: {"event":"updated","data":{"id":"a","name":"line\\nbreak"}}\nid: run-1\n\n',
    );
    streams.close();
  });

  it.each([
    ['nothing happened in between', 'run-1', false],
    ['something did', 'run-0', true],
    ['another process, or another run of it, gave the last event', 'walk-1', true],
    ['it is the first one', null, false],
  ])('an event stream first says whether events were missed: %s', async (_, lastEventId, isMissed) => {
    const { streams, watcher, say } = start();
    say();
    const stream = streams.open({ ...watcher, lastEventId });
    say();
    const text = await readUntil(stream, /event: content[\s\S]*\n\n/);
    expect(text.includes('event: missed\ndata: {"event":"missed","data":{}}\n\n')).toBe(isMissed);
    streams.close();
  });

  it('an idle event stream sends comments, and checks its API key again with each', async () => {
    const { streams, watcher, key } = start({ heartbeatMs: 5 });
    const stream = streams.open(watcher);
    await readUntil(stream, /:\n\n:\n\n/);
    expect(key.checks).toBeGreaterThanOrEqual(2);
    key.allowed = false;
    await readAll(stream);
    streams.close();
  });

  it('an event stream ends at once when its API key is no longer accepted, and not for a change of another key', async () => {
    const { streams, watcher, key, change, say } = start();
    const stream = streams.open(watcher);
    await readUntil(stream, /retry/);
    key.allowed = false;
    change('another hash');
    say();
    await readUntil(stream, /event: content/);
    change('hash');
    say();
    expect(await readAll(stream)).toContain('event: content');
  });

  it('an event stream ends if its API key cannot be checked', async () => {
    const { streams, watcher } = start();
    const stream = streams.open({
      ...watcher,
      isStillAllowed: () => Promise.reject(new Error('no database')),
    });
    expect(await readAll(stream)).toBe('retry: 2000\nid: run-0\n\n');
  });

  it('an event stream whose client is too far behind is ended, and no other', async () => {
    const { streams, watcher, say } = start({ backlogBytes: 1_000 });
    const slow = streams.open(watcher);
    const quick = streams.open(watcher);
    quick.on('data', () => {});
    await once(quick, 'data');
    for (let n = 0; n < 50; n++) say();
    expect([slow.destroyed, quick.destroyed]).toEqual([true, false]);
    const stuck = streams.open({ ...watcher, unsentBytes: () => 1_001 });
    stuck.resume();
    await once(stuck, 'data');
    say();
    expect(stuck.destroyed).toBe(true);
    streams.close();
  });

  it('closing ends every event stream: cleanly if the client has read it, by breaking the connection if not', async () => {
    const { streams, watcher } = start();
    const read = streams.open(watcher);
    await readUntil(read, /retry/);
    const unread = streams.open(watcher);
    streams.close();
    expect(unread.destroyed).toBe(true);
    expect(await readAll(read)).toBe('');
    expect(await readAll(streams.open(watcher))).toBe('retry: 2000\nid: run-0\n\n');
  });
});
