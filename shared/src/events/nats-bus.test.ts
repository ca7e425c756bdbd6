import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { findFreePort } from '@latchkey/support/find-free-port';
import { findProgram, startOwnNats } from '@latchkey/support/stores/own-stores';
import { makeServerFolder } from '@latchkey/support/stores/server-program';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSeal } from '../seal/seal.ts';
import type { BusMessage } from './message.ts';
import { createNatsBus, type NatsBus } from './nats-bus.ts';
import { formatEnvelope } from './nats-stream.ts';

const url = process.env.TEST_NATS_URL ?? '';
const canStart = findProgram('nats-server') !== undefined;
const waiting = { timeout: 30_000, interval: 10 };
vi.setConfig({ testTimeout: 120_000 });

const seal = createSeal(['the secret of this installation']);
/** Numbers of their own for each test: all use one stream. */
let lastNumber = 0;
const change = (contentId: string): BusMessage => ({
  type: 'change',
  number: ++lastNumber,
  at: 1,
  link: { id: String(lastNumber), previous: null },
  change: { kind: 'content', contentId },
});

function open(origin: string, at = url) {
  const received: BusMessage[] = [];
  const faults: unknown[] = [];
  const bus: NatsBus = createNatsBus({
    url: at,
    name: origin,
    origin,
    seal,
    onFault: (error) => void faults.push(error),
  });
  onTestFinished(() => bus.close());
  bus.subscribe((message) => void received.push(message));
  return { bus, received, faults };
}

async function openAll(names: string[], at = url) {
  const all = names.map((name) => open(name, at));
  await vi.waitFor(() => {
    for (const { bus } of all) expect(bus.state()).toBe('up');
  }, waiting);
  // Two that start at once may both make the stream; the one that comes second says so and tries again.
  for (const { faults } of all) faults.length = 0;
  return all;
}

describe.skipIf(url === '')('the bus over NATS', () => {
  test('every process receives changes and notices once, in order, and the sender before publish returns', async () => {
    const [sender, ...others] = await openAll(['a', 'b', 'c', 'd']);
    const notice: BusMessage = {
      type: 'notice',
      notice: { topic: 'lease', event: 'created', data: { id: 'l' } },
    };
    const sent = [change('a'), notice, ...Array.from({ length: 200 }, (_, i) => change(`c${i}`))];
    for (const message of sent) sender?.bus.publish(message);
    expect(sender?.received).toEqual(sent);
    for (const { received, faults } of others) {
      await vi.waitFor(() => expect(received).toEqual(sent), waiting);
      expect(faults).toEqual([]);
    }
    expect(sender?.received).toEqual(sent);
  });

  test('messages over NATS arrive at once: a hundred, each sent after the one before, need no second each', async () => {
    const [sender, receiver] = await openAll(['a', 'b']);
    for (let i = 0; i < 100; i++) {
      const arrived = new Promise<void>((resolve) => {
        const end = receiver?.bus.subscribe(() => {
          end?.();
          resolve();
        });
      });
      sender?.bus.publish(change('x'));
      await arrived;
    }
    // A pull ends after a second: waiting for that would take longer than the test may.
  }, 60_000);

  test('a malformed message from NATS is reported, and later messages still arrive', async () => {
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
      await jetstream(connection, { timeout: 30_000 }).publish('latchkey.changes', garbage);
    const message = change('after');
    sender?.bus.publish(message);
    await vi.waitFor(() => expect(receiver?.received).toEqual([message]), waiting);
    expect(receiver?.faults).toHaveLength(5);
  });

  test('a message without a seal of the installation is reported, and has no other effect', async () => {
    const [sender, receiver] = await openAll(['a', 'b']);
    const connection = await connect({ servers: new URL(url).host });
    onTestFinished(() => connection.close());
    const genuine = change('film');
    const sealed = formatEnvelope({ origin: 'c', message: genuine }, seal);
    const notice = { type: 'notice', notice: { topic: 'lease', event: 'revoked', data: {} } };
    for (const forged of [
      JSON.stringify({ origin: 'c', message: genuine }),
      formatEnvelope({ origin: 'c', message: genuine }, createSeal(['another secret'])),
      sealed.replace('"film"', '"fool"'),
      JSON.stringify({ origin: 'c', message: notice }),
      sealed,
    ])
      await jetstream(connection, { timeout: 30_000 }).publish('latchkey.changes', forged);
    const last = change('after');
    sender?.bus.publish(last);
    await vi.waitFor(() => expect(receiver?.received).toEqual([genuine, last]), waiting);
    expect(receiver?.faults).toHaveLength(4);
  });

  test('a process receives no message from before it connected to NATS', async () => {
    const [sender, witness] = await openAll(['a', 'w']);
    sender?.bus.publish(change('before'));
    await vi.waitFor(() => expect(witness?.received).toHaveLength(1), waiting);
    const [late] = await openAll(['b']);
    const message = change('after');
    sender?.bus.publish(message);
    await vi.waitFor(() => expect(late?.received).toEqual([message]), waiting);
  });
});

describe.skipIf(url === '' || !canStart)('where the NATS server', () => {
  test('without NATS a process receives its own messages, the outage is reported once, and later the server is used', async () => {
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
    expect(all[0].received).toHaveLength(1);
    await vi.waitFor(() => {
      expect(attempts).toBeGreaterThan(6);
      expect(all.map(({ bus, faults }) => [bus.state(), faults.length])).toEqual([
        ['down', 1],
        ['down', 1],
      ]);
    }, waiting);
    await new Promise((resolve) => closed.close(resolve));
    const server = await startOwnNats(place);
    onTestFinished(() => server.stop());
    await expectDelivery(all);
  });

  test('messages arrive again after NATS restarted without its stream, and the outage is reported once', async () => {
    const place = await makePlace();
    const first = await startOwnNats(place);
    const all = await openAll(['a', 'b'], first.url);
    process.kill(first.pid, 'SIGKILL');
    await vi.waitFor(() => expect(all.map(({ bus }) => bus.state())).toEqual(['down', 'down']), waiting);
    const local = change('meanwhile');
    all[0]?.bus.publish(local);
    expect(all[0]?.received).toEqual([local]);
    await first.stop();
    // It is down a moment before it says so.
    await vi.waitFor(() => {
      for (const { faults } of all) expect(faults.map(String)).toHaveLength(1);
    }, waiting);
    const second = await startOwnNats(place);
    onTestFinished(() => second.stop());
    await expectDelivery(all);
  });

  test('messages arrive again after NATS was paused for longer than the pings allow', async () => {
    const server = await startOwnNats();
    onTestFinished(() => server.stop());
    const all = await openAll(['a', 'b'], server.url);
    process.kill(server.pid, 'SIGSTOP');
    const local = change('meanwhile');
    all[0]?.bus.publish(local);
    expect(all[0]?.received).toEqual([local]);
    await vi.waitFor(() => expect(all.map(({ bus }) => bus.state())).toEqual(['down', 'down']), waiting);
    process.kill(server.pid, 'SIGCONT');
    await expectDelivery(all);
  });
});

async function makePlace() {
  const folder = makeServerFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { port: await findFreePort(), folder };
}

/** Sent again until all have received it: one that is not back yet receives nothing, and nothing is kept for it. */
async function expectDelivery(all: readonly ReturnType<typeof open>[]): Promise<void> {
  await vi.waitFor(
    () => {
      all[0]?.bus.publish(change('again'));
      const again = expect.objectContaining({ change: { kind: 'content', contentId: 'again' } });
      for (const { received } of all) expect(received).toContainEqual(again);
    },
    { timeout: 30_000, interval: 100 },
  );
}
