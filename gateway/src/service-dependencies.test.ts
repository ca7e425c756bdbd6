import { addHealthRoutes } from '@latchkey/shared/http';
import { createReadiness, Degraded, type Dependency } from '@latchkey/shared/lifecycle';
import { createManualClock, serveBehindGate } from '@latchkey/shared/testing';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { createUpstream } from '@latchkey/shared/upstream';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { answersCome, refusingUrls, secret, serveInTest } from './forwarding.fixture.ts';
import { type ServiceName, serviceNames } from './route-table.ts';
import { serviceDependencies } from './service-dependencies.ts';

const up = { check: async () => undefined };
const down = { check: () => Promise.reject(new Error('gone')) };
const rows: Dependency[] = [
  { name: 'database', ...up },
  { name: 'migrations', ...up },
];
const states: Dependency[] = [
  { name: 'feed', optional: true, ...up },
  { name: 'bus', optional: true, ...up },
  { name: 'cache', optional: true, ...up },
];
const whole = [...rows, ...states];
const without = (lost: string) => whole.map((one) => (one.name === lost ? { ...one, ...down } : one));

const keepsRows = (name: ServiceName) => ['auth', 'content', 'leases'].includes(name);

/** The `/ready` that every service has, behind its gate. */
async function serveReady(dependencies: Dependency[], itsSecret = secret): Promise<string> {
  const clock = createManualClock();
  const readiness = createReadiness(dependencies, clock, () => {});
  const { url, close } = await serveBehindGate(itsSecret, (app) =>
    addHealthRoutes(app, { version: '0', readiness, clock }),
  );
  onTestFinished(close);
  return url;
}

/** The report of a gateway before all services, of which some are at other addresses, and the warnings in its log. */
async function reportWith(others: Partial<Record<ServiceName, string[]>>) {
  const clock = createManualClock();
  const open = async (name: ServiceName) => {
    const urls = others[name] ?? [await serveReady(keepsRows(name) ? whole : states)];
    const upstream = createUpstream({
      urls,
      lookup: async () => [],
      connections: 2,
      onFault: () => {},
    });
    onTestFinished(() => upstream.close());
    return [name, upstream] as const;
  };
  const upstreams = Object.fromEntries(await Promise.all(serviceNames.map(open)));
  const warned: string[] = [];
  const readiness = createReadiness(
    serviceDependencies(upstreams as Parameters<typeof serviceDependencies>[0], secret),
    clock,
    (name, error) => void warned.push(`${name}: ${String(error)}`),
  );
  const { ready, dependencies } = await readiness.report();
  const missing = Object.keys(dependencies).filter((name) => dependencies[name]?.status !== 'up');
  return { ready, dependencies, missing, warned };
}

describe('the gateway', () => {
  let time: ReturnType<typeof stopTime>;
  beforeEach(() => {
    time = stopTime();
  });

  test('the gateway is ready if every service is, and shows the dependencies of each', async () => {
    const { ready, dependencies, missing } = await reportWith({});
    expect([ready, missing]).toEqual([true, []]);
    expect(Object.keys(dependencies)).toEqual([
      ...serviceNames,
      'database',
      'migrations',
      'feed',
      'bus',
      'cache',
    ]);
    expect(dependencies.leases).toMatchObject({ addresses: 1, dependencies: { database: { status: 'up' } } });
  });

  test.each(['auth', 'content', 'leases', 'playback'] as const)(
    'the gateway stays ready without %s, because keys are still served, and shows it as down',
    async (name) => {
      const { ready, dependencies, missing } = await reportWith({ [name]: refusingUrls.slice(0, 1) });
      expect([ready, missing]).toEqual([true, [name]]);
      expect(dependencies[name]).toEqual({ status: 'down' });
    },
  );

  test('the gateway is not ready without key-derivation, and shows nothing else as down', async () => {
    const { ready, missing, dependencies } = await reportWith({
      'key-derivation': refusingUrls.slice(0, 1),
    });
    expect([ready, missing]).toEqual([false, ['key-derivation', 'feed']]);
    expect([dependencies['key-derivation']?.status, dependencies.feed?.status]).toEqual(['down', 'unknown']);
  });

  test.each(['database', 'migrations'])(
    'the gateway shows that every service has lost its %s, and stays ready while key-derivation follows the feed',
    async (name) => {
      const urls = [await serveReady(without(name))];
      const { ready, dependencies } = await reportWith({ auth: urls, content: urls, leases: urls });
      expect([ready, dependencies[name]?.status]).toEqual([true, 'down']);
    },
  );

  test('the gateway is not ready if no key-derivation replica follows the feed, because no key is served then', async () => {
    const lost = states.map((one) => (one.name === 'feed' ? { ...one, ...down } : one));
    const { ready, missing } = await reportWith({ 'key-derivation': [await serveReady(lost)] });
    expect([ready, missing]).toEqual([false, ['feed']]);
  });

  test('the gateway shows as degraded what only one service has lost, and names that service', async () => {
    const { ready, dependencies } = await reportWith({ leases: [await serveReady(without('database'))] });
    expect([ready, dependencies.leases?.status]).toEqual([true, 'down']);
    expect(dependencies.database).toEqual({ status: 'degraded', downFor: ['leases'] });
  });

  test('the gateway is ready and shows the database as degraded if it accepts no writes', async () => {
    const readOnly: Dependency = {
      name: 'database',
      check: () => Promise.reject(new Degraded('password=hunter2', { writes: false })),
    };
    const urls = [await serveReady(whole.map((one) => (one.name === 'database' ? readOnly : one)))];
    const { ready, missing, dependencies } = await reportWith({ auth: urls, content: urls, leases: urls });
    expect([ready, missing]).toEqual([true, ['database']]);
    expect(dependencies.database).toEqual({ status: 'degraded', writes: false });
    expect(JSON.stringify(dependencies)).not.toContain('hunter2');
  });

  test('the gateway stays ready if all addresses of a service are silent, because the other checks end in time', async () => {
    const silent = await Promise.all([1, 2, 3].map(() => serveInTest(() => {})));
    const othersAnswered = answersCome(serviceNames.length - 1);
    const report = reportWith({ auth: silent.map(({ url }) => url) });
    await othersAnswered;
    // As long as each address may take. All checks have two seconds, which go by meanwhile.
    for (const [index, limitMs] of [900, 600, 300].entries()) {
      await silent[index]?.came(1);
      await time.begun(limitMs, 1);
      time.advance(limitMs);
    }
    const { ready, missing } = await report;
    expect([ready, missing]).toEqual([true, ['auth']]);
  });

  test.each([
    ['auth', true],
    ['key-derivation', false],
  ] as const)(
    'the gateway shows %s as down if it has another INTERNAL_SECRET, and says so',
    async (name, isReady) => {
      const url = await serveReady(name === 'auth' ? whole : states, 'another secret of 32 bytes or more');
      const { ready, missing, dependencies, warned } = await reportWith({ [name]: [url] });
      expect([ready, missing]).toEqual([isReady, [name]]);
      expect(warned).toEqual([
        `${name}: Error: it does not know this INTERNAL_SECRET: set the same value for the gateway and every service`,
      ]);
      expect(JSON.stringify(dependencies)).not.toMatch(/SECRET|reason/);
    },
  );
});
