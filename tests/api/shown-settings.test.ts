import { openTarget } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey } = target;

interface Variable {
  name: string;
  from: string;
  value: string | null;
}

it('the statistics show the settings of each process when they are asked for, and no secret', async () => {
  const plain = await client.get('/api/v1/statistics?steps=1', adminApiKey);
  expect(plain.json.statistics.settings).toBeUndefined();
  const { status, json, bytes } = await client.get('/api/v1/statistics?steps=1&settings=true', adminApiKey);
  expect(status).toBe(200);
  const text = bytes.toString('utf8');
  const { processes, settings } = json.statistics;
  expect(settings.database.bytes).toBeGreaterThan(10_000);
  expect(settings.processes.length).toBe(processes.length);
  for (const { service, variables } of settings.processes) {
    expect([service, variables.length > 10]).toEqual([service, true]);
    for (const { name, value } of variables as Variable[])
      if (/(SECRET|_HEX|ADMIN_API_KEY|TOKEN|PASSWORD|PIN)(_PREVIOUS)?$/.test(name))
        expect([name, value]).toEqual([
          name,
          expect.toBeOneOf([null, expect.stringMatching(/unset|required|none/)]),
        ]);
  }
  for (const secret of [target.jwtSecret, adminApiKey]) expect(text).not.toContain(secret);
  // A URL of a database or of NATS may have a password.
  expect(text).not.toMatch(/:\/\/[^/"…]+:[^/"]+@/);
  const deriving = settings.processes.filter((each: { masterKeys: unknown[] }) => each.masterKeys.length > 0);
  expect(deriving.length).toBeGreaterThan(0);
  for (const { masterKeys } of deriving)
    expect(masterKeys).toEqual([{ version: 1, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
});
