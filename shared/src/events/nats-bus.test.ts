import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { makeServerFolder } from '../../../scripts/own-server.ts';
import { findProgram, startOwnNats } from '../../../scripts/own-services.ts';
import type { BusMessage } from './message.ts';
import { createNatsBus, type NatsBus } from './nats-bus.ts';

const url = process.env.TEST_NATS_URL ?? '';
const canStart = findProgram('nats-server') !== undefined;
const reconnectMs = { timeout: 10_000, interval: 10 };

/** Numbers of their own for each test: all use one stream. */
let lastNumber = 0;
const change = (contentId: string): BusMessage => ({
  type: 'change',
  number: ++lastNumber,
  at: 1,
  change: { kind: 'content', contentId },
});

function open(origin: string, at = url) {
  const heard: BusMessage[] = [];
  const faults: unknown[] = [];
  const bus: NatsBus = createNatsBus({
    url: at,
    name: origin,
    origin,
    onFault: (error) => void faults.push(error),
  });
  onTestFinished(() => bus.close());
  bus.subscribe((message) => void heard.push(message));
  return { bus, heard, faults };
}

async function openAll(names: string[], at = url) {
  const all = names.map((name) => open(name, at));
  await vi.waitFor(() => {
    for (const { bus } of all) expect(bus.state()).toBe('up');
  }, reconnectMs);
  return all;
}

describe.skipIf(url === '')('the bus over NATS', () => {
  test('brings changes and notices to every process once, in their order, and to the sender before publish returns', async () => {
    const [sender, ...others] = await openAll(['a', 'b', 'c', 'd']);
    const notice: BusMessage = {
      type: 'notice',
      notice: { topic: 'lease', event: 'created', data: { id: 'l' } },
    };
    const sent = [change('a'), notice, ...Array.from({ length: 200 }, (_, i) => change(`c${i}`))];
    for (const message of sent) sender?.bus.publish(message);
    expect(sender?.heard).toEqual(sent);
    for (const { heard, faults } of others) {
      await vi.waitFor(() => expect(heard).toEqual(sent), reconnectMs);
      expect(faults).toEqual([]);
    }
    expect(sender?.heard).toEqual(sent);
  });

  test('is fast: the median of 500 messages takes under 10 ms from one process to another', async () => {
    const [sender, receiver] = await openAll(['a', 'b']);
    const delaysMs: number[] = [];
    for (let i = 0; i < 500; i++) {
      const startMs = performance.now();
      const arrived = new Promise<void>((resolve) => {
        const end = receiver?.bus.subscribe(() => {
          end?.();
          resolve();
        });
      });
      sender?.bus.publish(change('x'));
      await arrived;
      delaysMs.push(performance.now() - startMs);
    }
    delaysMs.sort((a, b) => a - b);
    const at = (share: number) => delaysMs[Math.floor(share * delaysMs.length)] ?? 0;
    process.stdout.write(
      `NATS delivery: p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms, max ${at(0.999).toFixed(2)} ms\n`,
    );
    expect(at(0.5)).toBeLessThan(10);
  });

  test('reports what is no message of ours and goes on', async () => {
    const [sender, receiver] = await openAll(['a', 'b']);
    const connection = await connect({ servers: new URL(url).host });
    onTestFinished(() => connection.close());
    for (const garbage of [
      '{',
      '{}',
      'null',
      '{"origin":"x","message":{"type":"change"}}',
      new Uint8Array([0xff]),
    ])
      await jetstream(connection).publish('latchkey.changes', garbage);
    const message = change('after');
    sender?.bus.publish(message);
    await vi.waitFor(() => expect(receiver?.heard).toEqual([message]), reconnectMs);
    expect(receiver?.faults).toHaveLength(5);
  });

  test('brings nothing from before a process came', async () => {
    const [sender] = await openAll(['a']);
    sender?.bus.publish(change('before'));
    const [late] = await openAll(['b']);
    const message = change('after');
    sender?.bus.publish(message);
    await vi.waitFor(() => expect(late?.heard).toEqual([message]), reconnectMs);
  });
});

describe.skipIf(url === '' || !canStart)('where the NATS server', () => {
  test('is not there at first, that is reported once, the process is heard by itself, and by all once the server has come', async () => {
    const place = await makePlace();
    const nowhere = `nats://127.0.0.1:${place.port}`;
    let attempts = 0;
    const closed = createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => closed.listen(place.port, '127.0.0.1', resolve));
    const all = [open('a', nowhere), open('b', nowhere)] as const;
    all[0].bus.publish(change('early'));
    expect(all[0].heard).toHaveLength(1);
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(6), reconnectMs);
    expect(all.map(({ bus, faults }) => [bus.state(), faults.length])).toEqual([
      ['down', 1],
      ['down', 1],
    ]);
    await new Promise((resolve) => closed.close(resolve));
    const server = await startOwnNats(place);
    onTestFinished(() => server.stop());
    await expectDelivery(all);
  });

  test('is killed and comes back without its stream, messages are brought again, and the outage was reported once', async () => {
    const place = await makePlace();
    const first = await startOwnNats(place);
    const all = await openAll(['a', 'b'], first.url);
    // Two that start at once may both make the stream; the one that comes second says so and tries again.
    for (const { faults } of all) faults.length = 0;
    process.kill(first.pid, 'SIGKILL');
    await vi.waitFor(() => expect(all.map(({ bus }) => bus.state())).toEqual(['down', 'down']), reconnectMs);
    const local = change('meanwhile');
    all[0]?.bus.publish(local);
    expect(all[0]?.heard).toEqual([local]);
    await first.stop();
    for (const { faults } of all) expect(faults.map(String)).toHaveLength(1);
    const second = await startOwnNats(place);
    onTestFinished(() => second.stop());
    await expectDelivery(all);
  });

  test('is paused for longer than the pings bear, messages are brought again once it goes on', async () => {
    const server = await startOwnNats();
    onTestFinished(() => server.stop());
    const all = await openAll(['a', 'b'], server.url);
    process.kill(server.pid, 'SIGSTOP');
    const startMs = performance.now();
    all[0]?.bus.publish(change('meanwhile'));
    expect(performance.now() - startMs).toBeLessThan(50);
    await vi.waitFor(() => expect(all[0]?.bus.state()).toBe('down'), reconnectMs);
    process.kill(server.pid, 'SIGCONT');
    await expectDelivery(all);
  });
});

async function makePlace() {
  const folder = makeServerFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { port: await findFreePort(), folder };
}

async function expectDelivery(all: readonly ReturnType<typeof open>[]): Promise<void> {
  await vi.waitFor(() => {
    for (const { bus } of all) expect(bus.state()).toBe('up');
  }, reconnectMs);
  const message = change('again');
  all[0]?.bus.publish(message);
  for (const { heard } of all) await vi.waitFor(() => expect(heard.at(-1)).toEqual(message), reconnectMs);
}
