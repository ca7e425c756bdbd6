import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { addRefusalAudit } from '../http/index.ts';
import { createStartUp } from '../lifecycle/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { stopTime } from '../testing/stop-time.ts';
import { FakeProcess } from './fake-process.fixture.ts';
import { runService, type ServiceContext } from './index.ts';
import { createStart } from './start.ts';
import { settings, startService } from './start-service.fixture.ts';

const secret = 'the-internal-secret-of-a-test-0123456789';
type Context = ServiceContext<typeof settings>;

async function start(
  prepare: () => Promise<void>,
  onMount: (context: Context) => void = () => {},
  more: Record<string, string> = {},
) {
  const env = { INTERNAL_SECRET: secret, ...more };
  const { process, ended, url } = await startService({ env, prepare, onMount });
  const ask = async (path: string) => {
    const response = await fetch(url + path, { headers: { 'x-latchkey-secret': secret } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as object };
  };
  return { process, ended, ask, url };
}

test('a caller without the internal secret leaves no audit row, and its X-Forwarded-For is ignored', async () => {
  const recorded: AuditEntry[] = [];
  const refusals = { record: async (entry: AuditEntry) => void recorded.push(entry), settle: async () => {} };
  const { ended, url } = await start(
    async () => {},
    ({ app }) => {
      void app.register(async (scope) => {
        addRefusalAudit(scope, refusals);
        scope.get('/managed', { config: { access: 'manage', action: 'thing.list' } }, async () => {
          throw new AppError('INSUFFICIENT_SCOPE');
        });
        scope.get('/health/where', { config: { access: 'open' } }, async ({ clientIp }) => ({ clientIp }));
      });
      app.addHook('onSend', async ({ clientIp }, reply) => void reply.header('x-seen-as', clientIp));
    },
  );
  await ended;
  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(url + path, { headers: { 'x-forwarded-for': '203.0.113.7', ...headers } });
    return [answer.status, answer.headers.get('x-seen-as')];
  };
  for (const headers of [{}, { 'x-latchkey-secret': 'wrong' }]) {
    expect(await ask('/managed', headers)).toEqual([401, '127.0.0.1']);
    expect(await ask('/health', headers)).toEqual([200, '127.0.0.1']);
  }
  expect(recorded).toEqual([]);
  expect(await ask('/managed', { 'x-latchkey-secret': secret })).toEqual([403, '203.0.113.7']);
  expect(recorded).toMatchObject([{ clientIp: '203.0.113.7', code: 'INSUFFICIENT_SCOPE' }]);
});

/** Lets the time between two checks pass until this has happened. */
async function passTimeUntil(time: ReturnType<typeof stopTime>, happened: Promise<unknown>): Promise<void> {
  let isOver = false;
  const ended = happened.then(() => {
    isOver = true;
  });
  while (!isOver) {
    time.advance(1_000);
    await new Promise(setImmediate);
  }
  await ended;
}

describe('a service that waits', () => {
  test('a service that waits for a dependency is not ready, answers 503, and says once what it waits for, without a warning', async () => {
    const time = stopTime();
    let missing: string | null = 'no database yet';
    const { process, ended, ask } = await start(async () => {
      if (missing) throw new Error(missing);
    });
    expect((await ask('/health')).status).toBe(200);
    const ready = await ask('/ready');
    expect(ready).toMatchObject({
      status: 503,
      body: { status: 'not_ready', dependencies: { start: { status: 'down' } } },
    });
    expect(JSON.stringify(ready.body)).not.toContain('database yet');
    const refused = await ask('/things');
    expect(refused).toMatchObject({ status: 503, body: { code: 'DEPENDENCY_UNAVAILABLE' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await ask('/openapi.json')).status).toBe(200);
    expect(process.log).not.toContain('a request failed');
    await passTimeUntil(time, process.says(/"info"[^\n]*"waits for: start\./));
    for (let second = 0; second < 3; second++) {
      time.advance(1_000);
      await new Promise(setImmediate);
    }
    expect(process.log.match(/waits for: /g)).toHaveLength(1);
    expect(process.log).not.toMatch(/"warn"[^\n]*not ready/);

    missing = null;
    await passTimeUntil(time, ended);
    expect(await ask('/things')).toMatchObject({ status: 200, body: { things: [] } });
    // A report may be half a second old.
    let report = await ask('/ready');
    while (report.status === 503) report = await ask('/ready');
    expect(report.body).toMatchObject({ status: 'ready', dependencies: { start: { status: 'up' } } });
    await passTimeUntil(time, process.says(/everything that this process waited for is up/));
  });

  test('a service that waits for more than a minute logs each reason once, however often it tries', async () => {
    const time = stopTime();
    const clock = createManualClock();
    const warnings: string[] = [];
    const log = { info() {}, warn: (message: string) => void warnings.push(message), error() {} };
    let tries = 0;
    const work = async () => {
      clock.advance(20_000);
      if (++tries < 6) throw new Error('the same reason');
    };
    const process = { readiness: { isDraining: () => false }, log, startUp: createStartUp(clock) };
    await passTimeUntil(time, createStart([]).finish(work, process));
    expect(tries).toBe(6);
    expect(warnings).toEqual(['not ready yet']);
  });

  test('a service logs a final error at once, stops waiting after it, and stays not ready', async () => {
    let tries = 0;
    const { process, ended, ask } = await start(async () => {
      tries++;
      throw Object.assign(new Error('the wrong key'), { final: true });
    });
    await ended;
    expect(tries).toBe(1);
    expect(process.log).toMatch(/"warn"[^\n]*the wrong key[^\n]*"not ready yet"/);
    expect((await ask('/ready')).status).toBe(503);
    expect((await ask('/things')).status).toBe(503);
    expect((await ask('/health')).status).toBe(200);
  });

  test('a service can be ended while it waits', async () => {
    const time = stopTime();
    const { process, ended } = await start(async () => {
      throw new Error('never');
    });
    process.emit('SIGTERM');
    await passTimeUntil(time, Promise.all([process.exited, ended]));
    expect(await process.exited).toBe(0);
  });
});

describe('the end', () => {
  test('a service ends in order: not ready, then running requests, then resources, the last opened first', async () => {
    const order: string[] = [];
    let answer: () => void = () => {};
    let onAsked: () => void = () => {};
    const asked = new Promise<void>((resolve) => (onAsked = resolve));
    const { process, ended, ask } = await start(
      async () => {},
      ({ shutdown, app }) => {
        shutdown.add('opened first', 1_000, () => void order.push('opened first'));
        shutdown.add('opened second', 1_000, () => void order.push('opened second'));
        app.get('/slow', { config: { access: 'open' } }, async () => {
          onAsked();
          await new Promise<void>((resolve) => (answer = resolve));
          order.push('request');
          return {};
        });
      },
    );
    await ended;
    const slow = ask('/slow');
    await asked;
    process.emit('SIGINT');
    await process.says(/SIGINT: closing/);
    answer();
    expect((await slow).status).toBe(200);
    expect(await process.exited).toBe(0);
    expect(order).toEqual(['request', 'opened second', 'opened first']);
  });

  test.each([
    ['a closed terminal ends a service in order', { stdin: { isTTY: true } }, true],
    [
      'without a terminal, SIGHUP leaves a service serving, and the log reports that nothing was read',
      {},
      false,
    ],
    [
      'SIGHUP does the same to the first process of a container with a terminal',
      { pid: 1, stdin: { isTTY: true } },
      false,
    ],
  ])('%s', async (_, as, isOver) => {
    const { process, ended, url } = await startService({ env: { INTERNAL_SECRET: secret }, as });
    await ended;
    process.emit('SIGHUP');
    if (isOver) expect(await process.exited).toBe(0);
    else {
      expect(process.log).toMatch(/"level":"warn"[^\n]*SIGHUP: nothing is read again/);
      expect((await fetch(`${url}/health`)).status).toBe(200);
    }
  });

  test('a service that drains serves new requests, and its answers close their connections', async () => {
    const time = stopTime();
    const { process, ended, ask } = await start(async () => {}, undefined, { SHUTDOWN_DRAIN_SECONDS: '7' });
    await ended;
    process.emit('SIGTERM');
    time.advance(6_999);
    const answer = await ask('/things');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await ask('/ready')).toMatchObject({
      status: 503,
      body: { dependencies: { process: { draining: true } } },
    });
    time.advance(1);
    expect(await process.exited).toBe(0);
  });
});

test('a start that fails closes what was opened before', async () => {
  let closed = false;
  const process = new FakeProcess();
  await runService(
    {
      name: 'things',
      version: '1',
      settings,
      async mount({ shutdown }) {
        shutdown.add('opened', 1_000, () => {
          closed = true;
        });
        throw new Error('unforeseen');
      },
    },
    process as never,
    { INTERNAL_SECRET: secret },
  );
  expect(await process.exited).toBe(1);
  expect(closed).toBe(true);
  expect(process.log).toMatch(/unforeseen\n\s+at /);
});
