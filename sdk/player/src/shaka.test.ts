import { beforeEach, expect, it } from 'vitest';
import { createFakeKeyServer, type FakeKeyServer, keyUrl, problem } from './key-server.fixture.ts';
import type { PlayerError } from './player-error.ts';
import { shakaRequestFilter } from './shaka.ts';

let fake: FakeKeyServer;
beforeEach(() => {
  fake = createFakeKeyServer();
});
const request = (...uris: string[]) => ({ uris, headers: {} as Record<string, string> });

it('a key request gets a fresh token and the lease of its content', async () => {
  const filter = shakaRequestFilter(fake.options);
  const requests = [request(keyUrl(0)), request(keyUrl(1))];
  for (const each of requests) await filter(6, each);
  expect(requests.map(({ headers }) => headers)).toEqual([
    { Authorization: 'Bearer token-2', 'X-Lease-Id': 'lease-1' },
    { Authorization: 'Bearer token-3', 'X-Lease-Id': 'lease-1' },
  ]);
  expect(fake.to('POST /keys/leases')).toHaveLength(1);
});

it.each([
  [['https://cdn.example/0.ts']],
  [[keyUrl(0), 'https://elsewhere.example/key']],
  [['https://keys.example.evil/keys/film']],
])('%j gets nothing', async (uris) => {
  const other = request(...uris);
  await shakaRequestFilter(fake.options)(1, other);
  expect(other.headers).toEqual({});
  expect(fake.asked).toEqual([]);
});

it('another content takes another lease, and release gives it back', async () => {
  const filter = shakaRequestFilter(fake.options);
  await filter(6, request(keyUrl(0)));
  await filter(6, request(keyUrl(0, 'sequel')));
  await filter.release();
  expect(fake.to('POST /keys/leases/revoke').map(({ json }) => json)).toEqual([
    { leaseId: 'lease-1' },
    { leaseId: 'lease-2' },
  ]);
});

it('a lost lease is told, and the next key request fails with it', async () => {
  const errors: PlayerError[] = [];
  const filter = shakaRequestFilter({ ...fake.options, onError: (error) => errors.push(error) });
  await filter(6, request(keyUrl(0)));
  fake.answer('POST /keys/leases/renew', () => problem(403, 'LEASE_REVOKED'));
  await fake.clock.advance(75_000);
  expect(errors).toMatchObject([{ code: 'LEASE_REVOKED' }]);
  await expect(filter(6, request(keyUrl(1)))).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
});
