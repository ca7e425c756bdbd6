import { eventually } from '@latchkey/support/black-box/eventually';
import { openTarget } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';

const { client } = await openTarget();

it('GET /health shows that the process runs, its version, and its uptime', async () => {
  const first = await client.get('/health');
  expect(first.status).toBe(200);
  expect(first.json).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    uptimeSeconds: expect.any(Number),
  });
  expect((await client.get('/health')).json.uptimeSeconds).toBeGreaterThanOrEqual(first.json.uptimeSeconds);
});

it('GET /ready shows the state of the database, the migrations, the bus and the cache', async () => {
  // A machine that stands still for seconds loses its connection to the bus, and says so until it has another.
  await eventually(async () => {
    const { status, json } = await client.get('/ready');
    expect(status).toBe(200);
    for (const name of ['database', 'migrations', 'bus', 'cache'])
      expect(json.dependencies[name].status).toBe('up');
  });
});

it('/health and /ready answer without a credential, and with a wrong one', async () => {
  for (const path of ['/health', '/ready']) expect((await client.get(path, 'nonsense')).status).toBe(200);
});
