import { afterEach, describe, expect, test } from 'vitest';
import { serveHttp } from '../testing/serve-http.ts';
import { stopTime } from '../testing/stop-time.ts';
import { createUpstream, type Upstream } from './index.ts';

/** Short, so that a test of the changes need not wait. */
const resolveEveryMs = 5;

const opened: Upstream[] = [];
afterEach(async () => {
  for (const upstream of opened.splice(0)) await upstream.close();
});

interface Names {
  [name: string]: string[] | Error;
}

/** An upstream whose names are looked up in a table that the test may change. */
function open(urls: string[], names: Names = {}) {
  const faults: unknown[] = [];
  let looked = 0;
  let onLook = () => {};
  const upstream = createUpstream({
    urls,
    lookup: async (name) => {
      looked++;
      onLook();
      const found = names[name] ?? [];
      if (found instanceof Error) throw found;
      return found;
    },
    connections: 2,
    resolveEveryMs,
    onFault: (error) => faults.push(error),
  });
  opened.push(upstream);
  /** Resolves once every name was looked up again, and what was found is in use. */
  async function resolved(): Promise<void> {
    // The first of two more rounds has ended when the second begins.
    const until = looked + 2 * Object.keys(names).length;
    while (looked < until) await new Promise<void>((resolve) => (onLook = resolve));
  }
  const picks = (count: number) => Array.from({ length: count }, () => upstream.pick()?.origin);
  return { upstream, faults, names, resolved, picks };
}

describe('addresses', () => {
  test('addresses take turns, whether they come from one name or several URLs', async () => {
    const { upstream, picks, resolved } = open(
      ['http://keys:4101', 'http://10.0.0.9:80', 'http://[::1]:4101'],
      {
        keys: ['10.0.0.1', '10.0.0.2', 'fd00::1'],
      },
    );
    await resolved();
    expect(upstream.size()).toBe(5);
    const round = [
      'http://10.0.0.1:4101',
      'http://10.0.0.2:4101',
      'http://[fd00::1]:4101',
      'http://10.0.0.9',
      'http://[::1]:4101',
    ];
    expect(picks(5).sort()).toEqual([...round].sort());
    expect(new Set(picks(5)).size).toBe(5);
  });

  test('a malformed address is ignored, and the caller gets no error', () => {
    const { upstream } = open(['http://nobody:1']);
    expect(upstream.size()).toBe(0);
    expect(upstream.pick()).toBeNull();
  });

  test('an address that is added gets requests, one that is removed gets none, and the others keep their pools', async () => {
    const { upstream, picks, names, resolved } = open(['http://keys:1'], { keys: ['10.0.0.1', '10.0.0.2'] });
    await resolved();
    const pools = new Map([upstream.pick(), upstream.pick()].map((member) => [member?.origin, member?.pool]));
    names.keys = ['10.0.0.2', '10.0.0.3'];
    await resolved();
    expect(picks(2).sort()).toEqual(['http://10.0.0.2:1', 'http://10.0.0.3:1']);
    const stayed = [upstream.pick(), upstream.pick()].find(
      (member) => member?.origin === 'http://10.0.0.2:1',
    );
    expect(stayed?.pool).toBe(pools.get('http://10.0.0.2:1'));
    expect(pools.get('http://10.0.0.1:1')?.closed).toBe(true);
  });

  test('a name that cannot be looked up keeps the addresses that it had last, and other names are still updated', async () => {
    const { faults, picks, names, resolved } = open(['http://keys:1', 'http://more:1'], {
      keys: ['10.0.0.1'],
      more: ['10.0.0.2'],
    });
    await resolved();
    names.keys = Object.assign(new Error('not now'), { code: 'EAI_AGAIN' });
    names.more = [];
    await resolved();
    expect(picks(2).sort()).toEqual(['http://10.0.0.1:1', 'http://10.0.0.2:1']);
    expect(new Set(faults)).toEqual(new Set([names.keys]));
    names.keys = ['10.0.0.7'];
    await resolved();
    expect(picks(2).sort()).toEqual(['http://10.0.0.2:1', 'http://10.0.0.7:1']);
  });
});

describe('an address that failed', () => {
  /** A service whose `/health` answers as the test says. */
  async function serveHealth(state: { status?: number; phase?: string } = {}) {
    const { url } = await serveHttp((_request, response) =>
      response.writeHead(state.status ?? 200, state.phase ? { 'x-latchkey-phase': state.phase } : {}).end(),
    );
    return url;
  }
  const addressAt = (upstream: Upstream, origin: string) =>
    upstream.all().find((address) => address.origin === origin);
  async function pass(time: ReturnType<typeof stopTime>, ms = 100) {
    time.advance(ms);
    await new Promise(setImmediate);
  }

  test('an address that failed gets no request for a second, although it answers /health at once', async () => {
    const time = stopTime();
    const [failed, other] = [await serveHealth({ status: 500 }), await serveHealth()];
    const { upstream, picks } = open([failed, other]);
    addressAt(upstream, failed)?.avoid(new Error('its connection broke'));
    for (let passedMs = 0; passedMs < 900; passedMs += 100) {
      expect(picks(4)).not.toContain(failed);
      await pass(time);
    }
    while (!picks(4).includes(failed)) await pass(time);
  });

  test('an address that is ending gets no request until a process that is not ending answers /health, however long that takes', async () => {
    const time = stopTime();
    const state = { phase: 'ending' };
    const [ending, other] = [await serveHealth(state), await serveHealth()];
    const { upstream, picks } = open([ending, other]);
    addressAt(upstream, ending)?.avoid();
    for (let round = 0; round < 50; round++) {
      expect(picks(4)).not.toContain(ending);
      await pass(time, 1_000);
    }
    state.phase = '';
    while (!picks(4).includes(ending)) await pass(time);
  });

  test('an address that took no connection is lost at once, and gets requests again once its process answers', async () => {
    const time = stopTime();
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const url = await serveHealth();
    const { upstream, picks } = open([url]);
    upstream.pick()?.avoid(refused);
    expect([upstream.pick(), upstream.isLost()]).toEqual([null, true]);
    while (upstream.isLost()) await pass(time, 0);
    expect(picks(1)).toEqual([url]);
  });

  test('an address whose process leaves /health unanswered for 2 s is lost, and stays so until it answers', async () => {
    const time = stopTime();
    const state = { isSilent: true, asked: 0 };
    const { url } = await serveHttp((_request, response) => {
      state.asked++;
      if (!state.isSilent) response.end('ok');
    });
    const { upstream } = open([url]);
    upstream.pick()?.avoid();
    while (state.asked < 1) await new Promise(setImmediate);
    await pass(time, 1_900);
    expect(upstream.isLost()).toBe(false);
    time.advance(100);
    while (!upstream.isLost()) await new Promise(setImmediate);
    state.isSilent = false;
    while (upstream.isLost()) await pass(time);
  });

  test('if every address has failed and none is lost, all take turns, and none counts as in the rotation', async () => {
    const urls = [await serveHealth(), await serveHealth()];
    stopTime();
    const { upstream, picks } = open(urls);
    for (const address of upstream.all()) address.avoid();
    expect(upstream.pickInRotation()).toBeNull();
    expect(new Set(picks(4))).toEqual(new Set(urls));
  });
});

test('closing an upstream ends its idle connections and its name look-ups', async () => {
  let looked = 0;
  const { url, server } = await serveHttp((_request, response) => response.end('ok'));
  const upstream = createUpstream({
    urls: [url.replace('127.0.0.1', 'name')],
    lookup: async () => {
      looked++;
      return ['127.0.0.1'];
    },
    connections: 1,
    resolveEveryMs,
    onFault: () => {},
  });
  while (!upstream.pick()) await new Promise(setImmediate);
  const ended = new Promise<void>((resolve) =>
    server.once('connection', (socket) => socket.once('close', () => resolve())),
  );
  const answer = await upstream.pick()?.pool.request({ method: 'GET', path: '/' });
  expect(await answer?.body.text()).toBe('ok');
  await upstream.close();
  await ended;
  const before = looked;
  await new Promise((resolve) => server.close(resolve));
  expect(looked).toBe(before);
});
