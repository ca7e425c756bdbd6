import type { RequestListener, ServerResponse } from 'node:http';
import { type StoppedTime, stopTime } from '@latchkey/shared/testing/stop-time';
import { expect, test } from 'vitest';
import {
  type FakeService,
  type GatewayFixture,
  serveInTest,
  startGatewayInTest,
} from './forwarding.fixture.ts';

/** How long `/health` may take until its address is lost. */
const lostMs = 2_000;
const get = (gateway: GatewayFixture, signal: AbortSignal | null = null) =>
  fetch(`${gateway.url}/keys/film`, { signal });
const keyRequests = ({ received }: FakeService) =>
  received.filter(({ url }) => url.startsWith('/keys')).length;
const silent: RequestListener = () => {};
const mib = 1_024 * 1_024;
/** Resolves once the gateway asks whether it is alive. */
async function probed({ probes }: FakeService): Promise<void> {
  while (probes() === 0) await new Promise(setImmediate);
}
/** Lets everything that has come be read. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

/** Two services whose answers the test sends; `isPaused` ones answer no probe either. */
async function startReplicas() {
  const state = { isPaused: true };
  const held: ServerResponse[] = [];
  const answer: RequestListener = (request, response) => {
    if (!state.isPaused) response.end('ok');
    else if (request.url === '/keys/film') held.push(response);
  };
  return { state, held, services: [await serveInTest(answer), await serveInTest(answer)] };
}

/** A gateway whose only connection is taken by a request that was sent. */
async function startBusy() {
  const { services, held } = await startReplicas();
  const [service] = services as [FakeService, FakeService];
  const gateway = await startGatewayInTest([service], { connections: 1 });
  const sent = get(gateway);
  await service.came(1);
  return { service, held, gateway, sent };
}

async function expectShed(answer: Response, reason: string, gateway: GatewayFixture): Promise<void> {
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await answer.json()).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
  expect(gateway.shed.at(-1)).toBe(`key-derivation ${reason}`);
}

/** Lets two requests find that nobody answers, and be refused. */
async function loseAll(time: StoppedTime, services: FakeService[], gateway: GatewayFixture): Promise<void> {
  const first = [get(gateway), get(gateway)];
  await Promise.all(services.map((service) => service.came(1)));
  time.advance(500);
  await Promise.all(services.map(probed));
  time.advance(lostMs);
  await turns();
  // The next look gives up the requests that were sent already.
  time.advance(500);
  for (const answer of await Promise.all(first)) await expectShed(answer, 'no_address', gateway);
}

test('where every address was found to be silent, a key request is answered 503 with Retry-After and sent nowhere', async () => {
  const time = stopTime();
  const { services } = await startReplicas();
  const gateway = await startGatewayInTest(services, { silentAfterMs: 500 });
  await loseAll(time, services, gateway);
  const sent = services.map(keyRequests);
  for (let round = 0; round < 50; round++) await expectShed(await get(gateway), 'no_address', gateway);
  expect(services.map(keyRequests)).toEqual(sent);
});

test('a request that changes something and was sent waits for its answer, though the address is lost', async () => {
  const time = stopTime();
  const service = await serveInTest(silent);
  const gateway = await startGatewayInTest([service.url], { silentAfterMs: 500, answerLimitMs: 7_000 });
  const post = fetch(`${gateway.url}/keys/leases`, { method: 'POST' });
  await service.came(1);
  time.advance(500);
  await probed(service);
  time.advance(lostMs);
  await turns();
  time.advance(4_000);
  await turns();
  expect(gateway.lines).toEqual([]);
  time.advance(500);
  expect((await post).status).toBe(503);
  expect(gateway.shed).toEqual([]);
});

test('requests that wait for a connection are refused together once the last address is lost', async () => {
  const time = stopTime();
  const { services } = await startReplicas();
  const gateway = await startGatewayInTest(services, { silentAfterMs: 500, connections: 1 });
  const asked = Array.from({ length: 20 }, () => get(gateway));
  await Promise.all(services.map((service) => service.came(1)));
  await time.begun(500, 20);
  time.advance(500);
  await Promise.all(services.map(probed));
  time.advance(lostMs);
  await gateway.linesWritten(18);
  time.advance(500);
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(503);
  // One of the two that were sent went to the other address, before that was silent, too.
  expect(services.flatMap(keyRequests).reduce((sum, count) => sum + count)).toBe(3);
});

test('while all are lost each address gets one probe at a time, and the first answer admits all requests', async () => {
  const time = stopTime();
  const { services, state } = await startReplicas();
  const gateway = await startGatewayInTest(services, { silentAfterMs: 500 });
  await loseAll(time, services, gateway);
  const [paused] = services as [FakeService, FakeService];
  const before = paused.probes();
  // The next probe finds it back.
  state.isPaused = false;
  while (paused.probes() === before) {
    time.advance(500);
    await turns();
  }
  await turns();
  const answers = await Promise.all(Array.from({ length: 30 }, () => get(gateway)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(paused.probes()).toBeLessThanOrEqual(before + 2);
});

test('a request that waited 3 s for a connection is answered 503: its answer could not come in time', async () => {
  const time = stopTime();
  const held: ServerResponse[] = [];
  const slow = await serveInTest((request, response) => {
    if (request.url === '/health') response.end('ok');
    else held.push(response);
  });
  const gateway = await startGatewayInTest([slow.url], { silentAfterMs: 500, connections: 1 });
  const sent = get(gateway);
  await slow.came(1);
  const waiting = get(gateway);
  await time.begun(500, 2);
  for (let elapsedMs = 0; elapsedMs < 3_000; elapsedMs += 500) {
    time.advance(500);
    await turns();
  }
  await expectShed(await waiting, 'waited_too_long', gateway);
  held[0]?.end('ok');
  expect((await sent).status).toBe(200);
  expect(keyRequests(slow)).toBe(1);
});

test('a request that waited 3 s by the clock is not sent when its turn comes, though the timers of a busy gateway are late', async () => {
  const { service, held, gateway, sent } = await startBusy();
  const waiting = get(gateway);
  await gateway.waiting(1);
  gateway.passTime(3_000);
  held[0]?.end('ok');
  expect((await sent).status).toBe(200);
  await expectShed(await waiting, 'waited_too_long', gateway);
  expect(keyRequests(service)).toBe(1);
});

test('a request is answered 503 after 7 s by the clock, though the timers of a busy gateway are late', async () => {
  const time = stopTime();
  const service = await serveInTest((request, response) => {
    if (request.url === '/health') response.end('ok');
  });
  const gateway = await startGatewayInTest([service.url], { silentAfterMs: 500, answerLimitMs: 7_000 });
  const asked = get(gateway);
  await service.came(1);
  gateway.passTime(7_000);
  time.advance(500);
  expect((await asked).status).toBe(503);
});

test('a request whose client has left while it waited is never sent, and costs no other request its connection', async () => {
  const { service, held, gateway, sent } = await startBusy();
  const leaving = new AbortController();
  const left = Array.from({ length: 50 }, () => get(gateway, leaving.signal).catch(() => 'left'));
  const stays = get(gateway);
  await gateway.waiting(51);
  leaving.abort();
  await Promise.all(left);
  await gateway.linesWritten(50);
  held[0]?.end('ok');
  expect((await sent).status).toBe(200);
  await service.came(2);
  held[1]?.end('ok');
  expect((await stays).status).toBe(200);
  expect(keyRequests(service)).toBe(2);
  expect(gateway.lines.filter(({ status }) => status === 499)).toHaveLength(50);
});

test('once waiting requests hold 64 MiB, the next one is answered 503 at once, and one for a key fits into the last 16 KiB', async () => {
  const { service, held, gateway, sent } = await startBusy();
  const waiting = gateway.fillLine(64 * mib);
  await expectShed(await get(gateway), 'line_full', gateway);
  waiting.leave();
  const almost = gateway.fillLine(64 * mib - 16 * 1_024);
  const fits = get(gateway);
  await gateway.waiting(2);
  almost.leave();
  held[0]?.end('ok');
  expect((await sent).status).toBe(200);
  await service.came(2);
  held[1]?.end('ok');
  expect((await fits).status).toBe(200);
});
