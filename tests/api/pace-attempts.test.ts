import { setTimeout as pause } from 'node:timers/promises';
import { createLease } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;
/** No key comes back while a test runs. */
const film = { mode: 'sequence', count: 4_294_967_296, periodSeconds: 86_400, burst: 6 };
/**
 * Several replicas share their pace in Redis. One that gets no answer in time decides by its own bucket, which happens on a
 * busy machine: `docs/reference/contract.md#key-periods`. The tests of the pace itself count without that.
 */
const mostReplicas = 3;
const promised = target.propagationMs === 0 ? film.burst : mostReplicas * film.burst;

async function register(keyPeriods: unknown = film, id = unique('content')): Promise<string> {
  const { status } = await client.post('/api/v1/content', admin, { id, name: id, keyPeriods });
  expect(status).toBe(201);
  return id;
}

describe('no way of asking gets a viewer more keys than the pace allows', () => {
  it('the key of an epoch has one spelling: requests in other forms get no key, or cost as much as the usual one', async () => {
    const id = await register();
    const token = viewerToken(jwtSecret, unique('viewer'));
    const keys = new Set<string>();
    const forms = (epoch: number) => [
      ...[`${epoch}e0`, `+${epoch}`, `0${epoch}`, `-${epoch}`, `${epoch}.0`, `0x${epoch}`, `${epoch}%00`],
      ...[`%20${epoch}`, `${epoch}%20`, '4294967296', `1${'0'.repeat(40)}`, encodeURIComponent('٣')],
      ...[`${epoch};v=1`, `${epoch}%2F`, `${epoch}?epoch=1e3&epoch=${epoch + 50}`],
    ];
    for (let epoch = 0; epoch < 8; epoch++)
      for (const form of forms(epoch)) {
        const { status, bytes } = await client.get(`/keys/${id}/${form}`, token);
        if (status === 200) keys.add(bytes.toString('hex'));
        expect([200, 400, 404, 429]).toContain(status);
      }
    for (const path of [
      `/KEYS/${id}/70`,
      `/keys//${id}/71`,
      `/keys/${id}/72/`,
      `/keys/${id.toUpperCase()}/73`,
    ]) {
      const { status } = await client.get(path, token);
      expect([404, 429]).toContain(status);
    }
    expect(keys.size).toBeGreaterThanOrEqual(1);
    expect(keys.size).toBeLessThanOrEqual(promised);
  });

  it('HEAD and PUT requests for a key cost what a GET costs', async () => {
    const id = await register();
    const token = viewerToken(jwtSecret, unique('viewer'));
    const served: number[] = [];
    for (let epoch = 0; epoch < 60; epoch++) {
      const method = ['HEAD', 'PUT', 'GET'][epoch % 3] ?? 'GET';
      const { status } = await client.call(method, `/keys/${id}/${epoch}`, { as: token });
      expect([200, 429]).toContain(status);
      if (status === 200) served.push(epoch);
    }
    expect(served.length).toBeGreaterThanOrEqual(film.burst);
    expect(served.length).toBeLessThanOrEqual(promised);
  });

  it('new connections, other headers, unknown leases and new leases for each request get no further key', async () => {
    const id = await register();
    const viewerId = unique('viewer');
    const served = new Set<number>();
    for (let epoch = 0; epoch < 60; epoch++) {
      const token = viewerToken(jwtSecret, viewerId, { jti: `${epoch}`, content_ids: [id, `${epoch}`] });
      const extra: Record<string, string> = { connection: epoch % 2 === 0 ? 'close' : 'keep-alive' };
      if (epoch % 3 === 0)
        extra['x-lease-id'] = await createLease(target, { token, contentId: id }, { deviceId: `${epoch}` });
      if (epoch % 3 === 1) extra['x-forwarded-for'] = `198.51.100.${epoch}`;
      const { status, code } = await client.get(`/keys/${id}/${epoch}`, token, extra);
      if (status === 200) served.add(epoch);
      else expect(code).toBe('KEY_PACE_EXCEEDED');
    }
    expect(served.size).toBeGreaterThanOrEqual(film.burst);
    expect(served.size).toBeLessThanOrEqual(promised);
  });

  it('key info gives viewers nothing, whatever epoch they ask for', async () => {
    const id = await register();
    const token = viewerToken(jwtSecret, unique('viewer'));
    for (const query of ['', '?epoch=0', '?epoch=1e3', '?epoch=-1']) {
      const { status } = await client.get(`/api/v1/content/${id}/key-info${query}`, token);
      expect([400, 401, 403]).toContain(status);
    }
  });
});

describe('honest playback', () => {
  it.concurrent.each([
    [1, 2],
    [2, 3],
  ])(
    'at %d times the normal speed, with 50 seeks and `speed` %d, sees no refusal',
    async (playback, speed) => {
      // A hundredth of a second for a period: 50 seeks after six periods each take three seconds. A slower test plays slower.
      const periodSeconds = 0.01;
      const id = await register({ ...film, periodSeconds, burst: 12, speed });
      const token = viewerToken(jwtSecret, unique('viewer'));
      const refused: unknown[] = [];
      const epochsAMove = 6 * playback;
      for (let seek = 0; seek < 50; seek++) {
        // Never the same place twice.
        const start = ((seek * 7_919) % 50) * 100;
        for (let epoch = start; epoch <= start + epochsAMove; epoch++) {
          const { status, code } = await client.get(`/keys/${id}/${epoch}`, token);
          if (status !== 200) refused.push([seek, epoch, code]);
          // The key of the first period and the one after it are fetched together. A timer may be a millisecond early.
          if (epoch > start) await pause((periodSeconds * 1_000) / playback + 1);
        }
      }
      expect(refused).toEqual([]);
    },
  );
});
