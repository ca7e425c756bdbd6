import { describe, expect, it } from 'vitest';
import { openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

const paths = ['/keys/leases', '/keys/leases/renew', '/keys/leases/revoke'];

describe.each(paths)('%s beside the key routes', (path) => {
  async function openBesideKeys(mode: 'optional' | 'off') {
    const leases = await openLeasesOnSqlite({ rules: { mode } });
    const serve = { config: { access: 'open' as const }, handler: () => 'a key' };
    for (const method of ['GET', 'PUT']) {
      leases.app.route({ method, url: '/keys/:contentId', ...serve });
      leases.app.route({ method, url: '/keys/:contentId/:epoch', ...serve });
    }
    return leases;
  }

  it(`${path} accepts only POST, and is no path of a key`, async () => {
    const leases = await openBesideKeys('optional');
    for (const method of ['GET', 'PUT'] as const)
      expect(await leases.ask(method, path)).toMatchObject({
        status: 405,
        headers: { allow: 'POST' },
        body: { code: 'METHOD_NOT_ALLOWED' },
      });
    expect((await leases.ask('POST', path)).status).toBe(401);
  });

  it(`${path} returns 404 if leases are off, whatever the credential and the body`, async () => {
    const leases = await openBesideKeys('off');
    for (const method of ['GET', 'POST', 'PUT'] as const)
      for (const credential of [null, 'nonsense', rawKeys.admin])
        expect(await leases.ask(method, path, credential)).toMatchObject({
          status: 404,
          body: { code: 'NOT_FOUND' },
        });
    const { statusCode } = await leases.app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json' },
      payload: '{',
    });
    expect(statusCode).toBe(404);
  });
});

describe('where leases are off', () => {
  it('if leases are off, they cannot be listed or looked up, and players can still report', async () => {
    const leases = await openLeasesOnSqlite({ rules: { mode: 'off' } });
    for (const url of ['/api/v1/leases', '/api/v1/leases/x'])
      for (const credential of [null, rawKeys.admin])
        expect((await leases.ask('GET', url, credential)).body.code).toBe('NOT_FOUND');
    expect((await leases.ask('POST', '/api/v1/player-metrics')).status).toBe(401);
  });
});
