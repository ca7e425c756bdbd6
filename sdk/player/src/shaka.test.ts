import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PlayerError } from './player-error.ts';
import { shakaRequestFilter } from './shaka.ts';
import { createFakeKeyServer, type FakeKeyServer, keyUrl, problem } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';

let fake: FakeKeyServer;
beforeEach(() => {
  fake = createFakeKeyServer();
});
afterEach(() => vi.unstubAllGlobals());
const request = (...uris: string[]) => ({ uris, headers: {} as Record<string, string> });
/** The first byte that Shaka reads at the address that the filter left. */
const firstByte = async ({ uris: [uri = ''] }: { uris: string[] }) =>
  new Uint8Array(await (await fetch(uri)).arrayBuffer())[0];
const credentials = () => fake.to('GET').map(({ token, leaseId }) => [token, leaseId]);

it('a key is requested once with a fresh token and the lease of its content, and Shaka reads it at a blob: URL', async () => {
  const filter = shakaRequestFilter(fake.options);
  const requests = [request(keyUrl(4)), request(keyUrl(5))];
  for (const each of requests) await filter(6, each);
  expect(requests).toMatchObject([
    { uris: [expect.stringMatching(/^blob:/)], headers: {} },
    { uris: [expect.stringMatching(/^blob:/)], headers: {} },
  ]);
  expect(await Promise.all(requests.map(firstByte))).toEqual([4, 5]);
  expect(credentials()).toEqual([
    ['Bearer token-2', 'lease-1'],
    ['Bearer token-3', 'lease-1'],
  ]);
  expect(fake.to('POST /keys/leases')).toHaveLength(1);
});

it.each([
  [['https://cdn.example/0.ts']],
  [[keyUrl(0), 'https://elsewhere.example/key']],
  [['https://keys.example.evil/keys/film']],
])('a request to %j gets no token and no lease', async (uris) => {
  const other = request(...uris);
  await shakaRequestFilter(fake.options)(1, other);
  expect(other.headers).toEqual({});
  expect(fake.asked).toEqual([]);
});

it('keys of two contents at once get a lease for the first content and the token alone for the other', async () => {
  const filter = shakaRequestFilter(fake.options);
  const requests = ['film', 'advert', 'film', 'advert'].map((content, epoch) =>
    request(keyUrl(epoch, content)),
  );
  await Promise.all(requests.map((each) => filter(6, each)));
  expect(await Promise.all(requests.map(firstByte))).toEqual([0, 1, 2, 3]);
  const leaseOf = Object.fromEntries(fake.to('GET').map(({ path, leaseId }) => [path, leaseId]));
  expect(leaseOf).toEqual({
    '/keys/film/0': 'lease-1',
    '/keys/film/2': 'lease-1',
    '/keys/advert/1': null,
    '/keys/advert/3': null,
  });
  expect(fake.to('GET').every(({ token }) => token)).toBe(true);
  expect(fake.to('POST').map(({ json }) => json?.contentId)).toEqual(['film']);
});

it('the lease is for the given contentId, although the key of an advertisement comes first', async () => {
  const filter = shakaRequestFilter({ ...fake.options, contentId: 'film' });
  for (const each of [request(keyUrl(0, 'advert')), request(keyUrl(0))]) await filter(6, each);
  expect(fake.to('GET').map(({ leaseId }) => leaseId)).toEqual([null, 'lease-1']);
});

it('without leases every key gets the token alone', async () => {
  const filter = shakaRequestFilter({ ...fake.options, leases: false });
  await filter(6, request(keyUrl(0)));
  expect(credentials()).toEqual([['Bearer token-1', null]]);
  expect(fake.to('POST')).toEqual([]);
});

it('after release another content takes its own lease, once the previous one is released', async () => {
  const filter = shakaRequestFilter(fake.options);
  await filter(6, request(keyUrl(0)));
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  fake.answer('POST /keys/leases/revoke', () =>
    arrived.then(() => Response.json({ revoked: 1, leases: [] })),
  );
  filter.release();
  const sequel = request(keyUrl(0, 'sequel'));
  const filtered = filter(6, sequel);
  await settle();
  expect(fake.to('POST').map(({ path, json }) => [path, json?.leaseId])).toEqual([
    ['/keys/leases', undefined],
    ['/keys/leases/revoke', 'lease-1'],
  ]);
  arrive();
  await filtered;
  expect(fake.to('GET /keys/sequel')).toMatchObject([{ leaseId: 'lease-2' }]);
  expect(fake.to('POST /keys/leases').at(-1)?.json).toMatchObject({ contentId: 'sequel' });
});

it('a page that is left releases the lease, and after release() the page is no longer watched', async () => {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  const filter = shakaRequestFilter(fake.options);
  await filter(6, request(keyUrl(0)));
  page.dispatchEvent(new Event('pagehide'));
  await settle();
  expect(fake.to('POST /keys/leases/revoke')).toHaveLength(1);
  const back = () => page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  back();
  await settle();
  await filter.release();
  back();
  await settle();
  expect(fake.to('POST').map(({ json }) => json?.leaseId)).toEqual([
    undefined,
    'lease-1',
    undefined,
    'lease-2',
  ]);
});

it.each(['/', '', 'keys.example'])(
  'a keyServerUrl that is not absolute (%j) is refused at once',
  (keyServerUrl) => {
    expect(() => shakaRequestFilter({ ...fake.options, keyServerUrl })).toThrow(TypeError);
  },
);

it('a late token is requested again until the patience ends or the lease is released', async () => {
  const hang = () => new Promise<string>(() => {});
  const hung = () => shakaRequestFilter({ ...fake.options, keyServerAuth: hang, leases: false });
  const impatient = hung()(6, request(keyUrl(0)));
  const filter = hung();
  const ended = filter(6, request(keyUrl(0)));
  for (const each of [impatient, ended]) each.catch(() => {});
  await fake.clock.advance(30_000);
  await filter.release();
  await fake.clock.advance(60_000);
  await expect(impatient).rejects.toMatchObject({ code: 'AUTH_FAILED' });
  await expect(ended).rejects.toMatchObject({ code: 'ABORTED' });
  let asked = 0;
  const keyServerAuth = () => (asked++ === 0 ? hang() : 'token');
  const late = shakaRequestFilter({ ...fake.options, keyServerAuth, leases: false })(6, request(keyUrl(0)));
  await fake.clock.advance(9_000);
  await late;
  expect(credentials()).toEqual([['Bearer token', null]]);
});

it('a lost lease is reported, and key requests fail with its error until release()', async () => {
  const errors: PlayerError[] = [];
  const filter = shakaRequestFilter({ ...fake.options, onError: (error) => errors.push(error) });
  await filter(6, request(keyUrl(0)));
  fake.answer('POST /keys/leases/renew', () => problem(403, 'LEASE_REVOKED'));
  await fake.clock.advance(75_000);
  expect(errors).toMatchObject([{ code: 'LEASE_REVOKED' }]);
  await expect(filter(6, request(keyUrl(1)))).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
  await filter.release();
  await filter(6, request(keyUrl(1)));
  expect(fake.to('GET').at(-1)?.leaseId).toBe('lease-2');
});
