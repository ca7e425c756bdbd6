import { expect, test } from 'vitest';
import { internalSecretHeader } from '../internal/index.ts';
import { createShutdown, type Dependency } from '../lifecycle/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createProcessBase } from './process-context.ts';
import { createServiceProcess } from './service-process.ts';

const secret = 'a secret between services, 32 bytes';
const log = { info() {}, warn() {}, error() {} };

async function createProcess(dependencies: Dependency[]) {
  const clock = createManualClock();
  const process = await createServiceProcess({
    name: 'leases',
    version: '0',
    host: '127.0.0.1',
    port: 0,
    metricsHost: '127.0.0.1',
    metricsPort: 0,
    internalSecret: { reveal: () => secret },
    publicUrl: null,
    overloadDelay: 'off',
    base: { ...createProcessBase({ clock, log, shutdown: createShutdown(log) }), dependencies },
  });
  for (const path of ['/internal/feed/head', '/keys/leases'])
    process.app.get(path, { config: { access: 'open' } }, async () => ({ head: 3 }));
  const ask = async (path: string) => {
    const { statusCode, headers } = await process.app.inject({
      path,
      headers: { [internalSecretHeader]: secret },
    });
    return [statusCode, headers['x-latchkey-phase']];
  };
  return { process, clock, ask };
}

test('a service that lost a dependency answers other services 503 until it is ready again, although its rows can still be read', async () => {
  let isStandby = false;
  const { process, clock, ask } = await createProcess([
    {
      name: 'database',
      check: async () => {
        if (isStandby) throw new Error('a standby');
        return undefined;
      },
    },
  ]);
  expect(await ask('/internal/feed/head')).toEqual([503, 'starting']);
  process.openForRequests();
  expect(await ask('/internal/feed/head')).toEqual([200, undefined]);
  isStandby = true;
  clock.advance(1_001);
  await process.readiness.report();
  expect(await ask('/internal/feed/head')).toEqual([503, 'unsure']);
  // What clients ask is decided by what it knows, and refused where that is nothing.
  expect(await ask('/keys/leases')).toEqual([200, undefined]);
  isStandby = false;
  clock.advance(1_001);
  // Nobody probes it: the question itself makes it look.
  await ask('/internal/feed/head');
  await process.readiness.report();
  expect(await ask('/internal/feed/head')).toEqual([200, undefined]);
});

test('a service that drains still answers other services, because it lacks nothing', async () => {
  const { process, ask } = await createProcess([]);
  process.openForRequests();
  process.readiness.drain();
  expect(await ask('/internal/feed/head')).toEqual([200, 'ending']);
});
