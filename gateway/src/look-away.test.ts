import type { RequestListener } from 'node:http';
import { createManualClock } from '@latchkey/shared/testing';
import { describe, expect, test } from 'vitest';
import {
  type FakeService,
  type GatewayFixture,
  type GatewaySettings,
  serveInTest,
  startGatewayInTest,
} from './forwarding.fixture.ts';

const gatewayBefore = (services: FakeService[], settings?: GatewaySettings) =>
  startGatewayInTest(
    services.map(({ url }) => url),
    settings,
  );
const get = async (gateway: GatewayFixture) => (await fetch(`${gateway.url}/keys/film`)).status;
const post = async (gateway: GatewayFixture) =>
  (await fetch(`${gateway.url}/keys/leases`, { method: 'POST' })).status;
async function inTurn(count: number, ask: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let request = 0; request < count; request++) statuses.push(await ask());
  return statuses;
}

const good: RequestListener = (_request, response) => void response.end('ok');
/** A replica that has lost touch: it answers what it still knows, and soon nothing. */
const unsure =
  (status: number): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'x-latchkey-phase': 'unsure' }).end();
/** A process that stands still: the system takes its connections, and nobody answers. */
const silent: RequestListener = () => {};

describe('a replica that is unsure', () => {
  test('fails nobody where another one is sure, and gets no more than one request to try it', async () => {
    const [lost, ...sure] = [
      await serveInTest(unsure(503)),
      await serveInTest(good),
      await serveInTest(good),
    ];
    const gateway = await gatewayBefore([lost, ...sure], { clock: createManualClock() });
    expect(new Set(await inTurn(30, () => get(gateway)))).toEqual(new Set([200]));
    expect(lost.received).toHaveLength(1);
    expect(gateway.faults).toEqual([]);
    expect(gateway.lines).toHaveLength(30);
  });

  test('is looked away from before it fails anyone', async () => {
    const [lost, sure] = [await serveInTest(unsure(200)), await serveInTest(good)];
    const gateway = await gatewayBefore([lost, sure], { clock: createManualClock() });
    await inTurn(20, () => get(gateway));
    expect(lost.received).toHaveLength(1);
    expect(sure.received).toHaveLength(19);
  });

  test('gets no request twice that changes something', async () => {
    const [lost, sure] = [await serveInTest(unsure(503)), await serveInTest(good)];
    const gateway = await gatewayBefore([lost, sure], { clock: createManualClock() });
    expect((await inTurn(10, () => post(gateway))).filter((status) => status === 503)).toHaveLength(1);
    expect(lost.received.length + sure.received.length).toBe(10);
  });

  test('is asked where all are, each request once, and its answer is the client’s', async () => {
    const services = [
      await serveInTest(unsure(503)),
      await serveInTest(unsure(503)),
      await serveInTest(unsure(503)),
    ];
    const gateway = await gatewayBefore(services);
    expect(new Set(await inTurn(300, () => get(gateway)))).toEqual(new Set([503]));
    const asked = services.reduce((sum, { received }) => sum + received.length, 0);
    // The first ones find out.
    expect(asked).toBeLessThanOrEqual(302);
    for (const { received } of services) expect(received.length).toBeGreaterThan(90);
    expect(gateway.faults).toEqual([]);
  });

  test('with any other 503 keeps it: what all share is gone, and others know no more', async () => {
    const services = [
      await serveInTest((_request, response) => void response.writeHead(503).end()),
      await serveInTest((_request, response) => void response.writeHead(503).end()),
    ];
    const gateway = await gatewayBefore(services);
    expect(new Set(await inTurn(10, () => get(gateway)))).toEqual(new Set([503]));
    expect(services.map(({ received }) => received.length)).toEqual([5, 5]);
  });
});

describe('a replica that cannot answer one request', () => {
  /** It has what every film needs but the newest. */
  const withoutNewest: RequestListener = (request, response) =>
    request.url === '/keys/newest'
      ? void response.writeHead(503, { 'x-latchkey-elsewhere': '1', 'retry-after': '1' }).end()
      : good(request, response);
  const getNewest = async (gateway: GatewayFixture) => (await fetch(`${gateway.url}/keys/newest`)).status;
  const asked = ({ received }: FakeService, path: string) =>
    received.filter(({ url }) => url === path).length;

  test('fails nobody where one of three can, whichever was asked first', async () => {
    const [able, ...unable] = [
      await serveInTest(good),
      await serveInTest(withoutNewest),
      await serveInTest(withoutNewest),
    ];
    const gateway = await gatewayBefore([able, ...unable]);
    expect(new Set(await inTurn(30, () => getNewest(gateway)))).toEqual(new Set([200]));
    for (const service of [able, ...unable]) expect(asked(service, '/keys/newest')).toBeLessThanOrEqual(30);
    expect(gateway.faults).toEqual([]);
    expect(gateway.lines).toHaveLength(30);
  });

  test('keeps its turn for all others', async () => {
    const services = [await serveInTest(good), await serveInTest(withoutNewest)];
    const gateway = await gatewayBefore(services);
    expect(await inTurn(2, () => getNewest(gateway))).toEqual([200, 200]);
    await inTurn(20, () => get(gateway));
    expect(services.map((service) => asked(service, '/keys/film'))).toEqual([10, 10]);
  });

  test('leaves the client its 503 where nobody can: each was asked once, and no mark of it goes out', async () => {
    const services = [await serveInTest(withoutNewest), await serveInTest(withoutNewest)];
    const gateway = await gatewayBefore(services);
    const answer = await fetch(`${gateway.url}/keys/newest`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.headers.get('x-latchkey-elsewhere')).toBeNull();
    expect(services.map((service) => asked(service, '/keys/newest'))).toEqual([1, 1]);
  });

  test('gets others no more to do than the budget holds', async () => {
    const services = [await serveInTest(withoutNewest), await serveInTest(withoutNewest)];
    const gateway = await gatewayBefore(services);
    await inTurn(300, () => getNewest(gateway));
    // Those asked first, a fifth of them, and the reserve of 128.
    const all = services.reduce((sum, service) => sum + asked(service, '/keys/newest'), 0);
    expect(all).toBeGreaterThan(300);
    expect(all).toBeLessThanOrEqual(300 + 60 + 128);
  });
});

describe('a replica that stands still', () => {
  test('holds requests up until it is found to give no sign of life, and then nobody', async () => {
    const [paused, ...others] = [await serveInTest(silent), await serveInTest(good), await serveInTest(good)];
    const gateway = await gatewayBefore([paused, ...others], { doubtAfterMs: 20 });
    expect(new Set(await Promise.all(Array.from({ length: 30 }, () => get(gateway))))).toEqual(
      new Set([200]),
    );
    const held = paused.received.filter(({ url }) => url === '/keys/film').length;
    expect(held).toBeGreaterThan(0);
    expect(new Set(await inTurn(10, () => get(gateway)))).toEqual(new Set([200]));
    expect(paused.received.filter(({ url }) => url === '/keys/film')).toHaveLength(held);
    expect(gateway.faults).toEqual([]);
  });

  test('holds up what waits for a connection to it no longer than the rest, and that goes elsewhere whatever it is', async () => {
    const [paused, other] = [await serveInTest(silent), await serveInTest(good)];
    const gateway = await gatewayBefore([paused, other], {
      doubtAfterMs: 20,
      answerLimitMs: 1_500,
      connections: 1,
    });
    const statuses = await Promise.all(Array.from({ length: 8 }, () => post(gateway)));
    // One was sent, and nobody knows what became of it.
    expect(statuses.filter((status) => status === 503)).toHaveLength(1);
    expect(paused.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(other.received.filter(({ method }) => method === 'POST')).toHaveLength(7);
  });

  test('is asked again once it gives a sign of life', async () => {
    let isPaused = true;
    const waking = await serveInTest((request, response) =>
      isPaused ? silent(request, response) : good(request, response),
    );
    const gateway = await gatewayBefore([waking, await serveInTest(good)], { doubtAfterMs: 20 });
    await inTurn(2, () => get(gateway));
    isPaused = false;
    const before = waking.received.length;
    while (!waking.received.slice(before).some(({ url }) => url === '/keys/film'))
      expect(await get(gateway)).toBe(200);
  });
});

test('a replica that is slow and lives is waited for, and nothing is asked twice', async () => {
  const slow: RequestListener = (request, response) =>
    void setTimeout(() => response.end('ok'), request.url === '/health' ? 0 : 150);
  const services = [await serveInTest(slow), await serveInTest(slow)];
  const gateway = await gatewayBefore(services, { doubtAfterMs: 20 });
  expect(await Promise.all(Array.from({ length: 10 }, () => get(gateway)))).toEqual(Array(10).fill(200));
  const asked = services.flatMap(({ received }) => received).filter(({ url }) => url === '/keys/film');
  expect(asked).toHaveLength(10);
});
