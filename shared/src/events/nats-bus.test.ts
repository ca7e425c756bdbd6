import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { findProgram, startOwnNats } from '@latchkey/rig/stores/own-stores';
import { makeServerFolder } from '@latchkey/rig/stores/server-program';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSeal } from '../seal/seal.ts';
import type { BusMessage } from './message.ts';
import { createNatsBus, type NatsBus } from './nats-bus.ts';
import { formatEnvelope } from './nats-envelope.ts';

const url = process.env.TEST_NATS_URL ?? '';
const canStart = findProgram('nats-server') !== undefined;
const waiting = { timeout: 30_000, interval: 10 };
vi.setConfig({ testTimeout: 120_000 });

const seal = createSeal('the secret of this installation');
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
    seal,
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
  }, waiting);
  // Two that start at once may both make the stream; the one that comes second says so and tries again.
  for (const { faults } of all) faults.length = 0;
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
      await vi.waitFor(() => expect(heard).toEqual(sent), waiting);
      expect(faults).toEqual([]);
    }
    expect(sender?.heard).toEqual(sent);
  });

  test('brings each message when it comes: a hundred, each sent once the one before is there, need no second each', async () => {
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
    await vi.waitFor(() => expect(receiver?.heard).toEqual([message]), waiting);
    expect(receiver?.faults).toHaveLength(5);
  });

  test('takes of a message that no process of the installation sealed only what it may mean, and reports it', async () => {
    const [sender, receiver] = await openAll(['a', 'b']);
    const connection = await connect({ servers: new URL(url).host });
    onTestFinished(() => connection.close());
    const genuine = change('film');
    const sealed = formatEnvelope({ origin: 'c', message: genuine }, seal);
    const notice = { type: 'notice', notice: { topic: 'lease', event: 'revoked', data: {} } };
    for (const forged of [
      JSON.stringify({ origin: 'c', message: genuine }),
      formatEnvelope({ origin: 'c', message: genuine }, createSeal('another secret')),
      sealed.replace('"film"', '"fool"'),
      JSON.stringify({ origin: 'c', message: notice }),
      sealed,
    ])
      await jetstream(connection, { timeout: 30_000 }).publish('latchkey.changes', forged);
    const last = change('after');
    sender?.bus.publish(last);
    const hint = (contentId: string) => ({ type: 'hint', change: { kind: 'content', contentId } });
    const expected = [hint('film'), hint('film'), hint('fool'), genuine, last];
    await vi.waitFor(() => expect(receiver?.heard).toEqual(expected), waiting);
    expect(receiver?.faults).toHaveLength(4);
  });

  test('brings nothing from before a process came', async () => {
    const [sender, witness] = await openAll(['a', 'w']);
    sender?.bus.publish(change('before'));
    await vi.waitFor(() => expect(witness?.heard).toHaveLength(1), waiting);
    const [late] = await openAll(['b']);
    const message = change('after');
    sender?.bus.publish(message);
    await vi.waitFor(() => expect(late?.heard).toEqual([message]), waiting);
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

  test('is killed and comes back without its stream, messages are brought again, and the outage was reported once', async () => {
    const place = await makePlace();
    const first = await startOwnNats(place);
    const all = await openAll(['a', 'b'], first.url);
    process.kill(first.pid, 'SIGKILL');
    await vi.waitFor(() => expect(all.map(({ bus }) => bus.state())).toEqual(['down', 'down']), waiting);
    const local = change('meanwhile');
    all[0]?.bus.publish(local);
    expect(all[0]?.heard).toEqual([local]);
    await first.stop();
    // It is down a moment before it says so.
    await vi.waitFor(() => {
      for (const { faults } of all) expect(faults.map(String)).toHaveLength(1);
    }, waiting);
    const second = await startOwnNats(place);
    onTestFinished(() => second.stop());
    await expectDelivery(all);
  });

  test('is paused for longer than the pings bear, messages are brought again once it goes on', async () => {
    const server = await startOwnNats();
    onTestFinished(() => server.stop());
    const all = await openAll(['a', 'b'], server.url);
    process.kill(server.pid, 'SIGSTOP');
    const local = change('meanwhile');
    all[0]?.bus.publish(local);
    expect(all[0]?.heard).toEqual([local]);
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

/** Sent anew until all have heard it: while one of them is not back yet, it hears nothing, and nothing is kept for it. */
async function expectDelivery(all: readonly ReturnType<typeof open>[]): Promise<void> {
  await vi.waitFor(
    () => {
      all[0]?.bus.publish(change('again'));
      const again = expect.objectContaining({ change: { kind: 'content', contentId: 'again' } });
      for (const { heard } of all) expect(heard).toContainEqual(again);
    },
    { timeout: 30_000, interval: 100 },
  );
}
