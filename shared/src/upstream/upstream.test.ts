import { afterEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { serveHttp } from '../testing/serve-http.ts';
import { stopTime } from '../testing/stop-time.ts';
import { createUpstream, NotStarted, type Upstream, type UpstreamOptions } from './index.ts';
import { neverReached } from './never-reached.ts';

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
function open(urls: string[], names: Names = {}, more: Partial<UpstreamOptions> = {}) {
  const clock = createManualClock();
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
    clock,
    connections: 2,
    resolveEveryMs,
    onFault: (error) => faults.push(error),
    ...more,
  });
  opened.push(upstream);
  /** Resolves once every name was looked up again, and what was found is in use. */
  async function resolved(): Promise<void> {
    // The first of two more rounds has ended when the second begins.
    const until = looked + 2 * Object.keys(names).length;
    while (looked < until) await new Promise<void>((resolve) => (onLook = resolve));
  }
  const picks = (count: number) => Array.from({ length: count }, () => upstream.pick()?.origin);
  return { upstream, clock, faults, names, resolved, picks };
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
  const urls = ['http://10.0.0.1:1', 'http://10.0.0.2:1', 'http://10.0.0.3:1'];

  test('an address that failed gets no request until it answers a probe', async () => {
    const time = stopTime();
    let isSilent = true;
    let asked = 0;
    const { url: origin } = await serveHttp((_request, response) => {
      asked++;
      if (!isSilent) response.end('ok');
    });
    const { upstream, picks } = open([origin, ...urls], {}, { probeEveryMs: 5 });
    expect(upstream.pick()?.origin).toBe(origin);
    const [silent] = [upstream.pick(), upstream.pick(), upstream.pick(), upstream.pick()].slice(-1);
    silent?.penalize();
    const pass = async () => {
      time.advance(100);
      await new Promise(setImmediate);
    };
    // A probe that gets no answer is given up after 2 s, and the next one comes.
    while (asked < 2) {
      expect(picks(4)).not.toContain(origin);
      await pass();
    }
    isSilent = false;
    while (!picks(4).includes(origin)) await pass();
  });

  test('a probe distinguishes an address that takes no connection from one that answers with any status', async () => {
    const { url: origin } = await serveHttp((_request, response) => response.writeHead(500).end());
    // Port 9 (discard) of this machine has no listener.
    const gone = 'http://127.0.0.1:9';
    const { upstream, picks } = open([origin, gone]);
    stopTime();
    expect(await Promise.all(upstream.all().map((member) => member.isAlive()))).toEqual([true, false]);
    expect(picks(4)).not.toContain(gone);
  });

  test('an address that is ending gets no request until a process that is not ending answers a probe, however long that takes', async () => {
    let isEnding = true;
    let probed = 0;
    const { url: origin } = await serveHttp((_request, response) => {
      probed++;
      response.writeHead(200, isEnding ? { 'x-latchkey-phase': 'ending' } : {}).end();
    });
    const { upstream, clock, picks } = open([origin, ...urls], {}, { probeEveryMs: 5 });
    upstream
      .all()
      .find((member) => member.origin === origin)
      ?.notePhase('ending');
    while (probed < 3) {
      clock.advance(60_000);
      expect(picks(4)).not.toContain(origin);
      await new Promise(setImmediate);
    }
    isEnding = false;
    while (!picks(4).includes(origin)) await new Promise(setImmediate);
  });

  test('an address that failed still gets requests where no other is left', async () => {
    const { upstream, picks, resolved } = open([...urls, 'http://keys:1'], { keys: ['10.0.0.3'] });
    await resolved();
    for (let turn = 0; turn < 3; turn++) upstream.pick()?.penalize();
    expect(picks(3).sort()).toEqual(urls);
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
    clock: createManualClock(),
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

describe('what an address says of itself', () => {
  const pair = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];

  test('an address that is about to end gets no request while there is another', () => {
    const { upstream, picks } = open(pair);
    const ending = upstream.pick();
    ending?.notePhase('ending');
    expect(picks(4)).not.toContain(ending?.origin);
  });

  test('an address that is about to end still comes before one that takes no connection', () => {
    const { upstream, picks } = open(pair);
    const ending = upstream.pick();
    ending?.notePhase('ending');
    upstream.pick()?.penalize();
    expect(new Set(picks(4))).toEqual(new Set([ending?.origin]));
  });

  test.each(['unsure', 'starting'])(
    'an address that is %s is asked by one request a second, until it is not',
    (phase) => {
      const { upstream, clock, picks } = open(pair);
      const doubtful = upstream.pick();
      doubtful?.notePhase(phase);
      expect(picks(4)).not.toContain(doubtful?.origin);
      clock.advance(1_000);
      expect(picks(4).filter((origin) => origin === doubtful?.origin)).toHaveLength(1);
      clock.advance(1_000);
      expect(picks(4).filter((origin) => origin === doubtful?.origin)).toHaveLength(1);
      doubtful?.notePhase(undefined);
      expect(picks(4).filter((origin) => origin === doubtful?.origin)).toHaveLength(2);
    },
  );

  test('where every address is unsure, all take turns, and no address counts as healthy', () => {
    const { upstream, picks } = open(pair);
    for (let turn = 0; turn < 2; turn++) upstream.pick()?.notePhase('unsure');
    expect(upstream.pickHealthy()).toBeNull();
    expect(new Set(picks(4)).size).toBe(2);
  });

  test('a request that a starting service answered goes to another address, whatever its method', () => {
    expect(neverReached(new NotStarted())).toBe(true);
  });
});
