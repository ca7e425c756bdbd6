import { expect, test } from 'vitest';
import { serveKeys } from './key-service.fixture.ts';
import { reportMissingKeys } from './master-key-missing.ts';

/** A replica behind a gateway, and a content of each version. */
async function serveVersions() {
  const versions: Record<string, number> = { first: 1, second: 2 };
  const { get } = await serveKeys((id) => {
    const keyVersion = versions[id];
    return keyVersion === undefined ? null : { status: 'active', keyVersion, keyPeriods: null };
  }, reportMissingKeys);
  return get;
}

test('the 503 for a master key version that this replica lacks reports that another replica may have it, with and without a read', async () => {
  const get = await serveVersions();
  for (let round = 0; round < 2; round++) {
    const { statusCode, headers, body } = await get('second');
    expect(statusCode).toBe(503);
    expect(headers).toMatchObject({ 'x-latchkey-elsewhere': '1', 'retry-after': '1' });
    expect(headers['x-latchkey-phase']).toBeUndefined();
    expect(JSON.parse(body).code).toBe('DEPENDENCY_UNAVAILABLE');
    expect(body).not.toContain('MASTER_KEY');
  }
});

test('only a missing master key version sends the request to another replica: a key and a refusal do not', async () => {
  const get = await serveVersions();
  for (const [id, status] of [
    ['first', 200],
    ['unknown', 404],
  ] as const) {
    const { statusCode, headers } = await get(id);
    expect(statusCode).toBe(status);
    expect(headers['x-latchkey-elsewhere']).toBeUndefined();
  }
});
