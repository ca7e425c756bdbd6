import { expect, test } from 'vitest';
import { internalSecretHeader } from '../internal/index.ts';
import type { Dependency } from '../lifecycle/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createServiceContext, internalSecret } from './service-context.fixture.ts';
import { createServiceProcess } from './service-process.ts';

async function createProcess(dependencies: Dependency[]) {
  const clock = createManualClock();
  const context = createServiceContext({ clock });
  context.dependencies.push(...dependencies);
  const { readiness } = context;
  const process = createServiceProcess(context);
  for (const path of ['/internal/feed/head', '/keys/leases'])
    process.app.get(path, { config: { access: 'open' } }, async () => ({ head: 3 }));
  const ask = async (path: string) => {
    const { statusCode, headers } = await process.app.inject({
      path,
      headers: { [internalSecretHeader]: internalSecret },
    });
    return [statusCode, headers['x-latchkey-phase']];
  };
  return { process, readiness, clock, ask };
}

test('a service that lost a dependency answers other services 503 until it is ready again, although its rows can still be read', async () => {
  let isStandby = false;
  const { process, readiness, clock, ask } = await createProcess([
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
  await readiness.report();
  expect(await ask('/internal/feed/head')).toEqual([503, 'unsure']);
  // It decides the requests of clients by the states that it knows, and refuses them if it knows none.
  expect(await ask('/keys/leases')).toEqual([200, undefined]);
  isStandby = false;
  clock.advance(1_001);
  // Nobody probes it: the question itself makes it look.
  await ask('/internal/feed/head');
  await readiness.report();
  expect(await ask('/internal/feed/head')).toEqual([200, undefined]);
});

test('a service that drains still answers other services, because it lacks nothing', async () => {
  const { process, readiness, ask } = await createProcess([]);
  process.openForRequests();
  readiness.drain();
  expect(await ask('/internal/feed/head')).toEqual([200, 'ending']);
});
