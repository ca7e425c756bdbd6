import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const word = unique('order');
const viewerId = unique('viewer');

const later = await createApiKey(target, 'upload', { name: `${word} later`, expiresAt: inDays(20) });
const never = await createApiKey(target, 'upload', { name: `${word} never` });
const soon = await createApiKey(target, 'upload', { name: `${word} soon`, expiresAt: inDays(2) });

/** Registered in this order. */
const contents = [
  { id: `${word}-1`, name: `${word} b` },
  { id: `${word}-2`, name: `${word.toUpperCase()} C` },
  { id: `${word}-3`, name: `${word} a` },
];
for (const content of contents) await client.post('/api/v1/content', admin, content);
const [b, c, a] = contents.map(({ id }) => id);

const leases: string[] = [];
for (const ttl of [400, 300, 500]) {
  const body = { contentId: a, viewerId, requestedTtlSeconds: ttl };
  leases.push((await client.post('/keys/leases', admin, body)).json.lease.id);
}

/** Every page of a list, by two rows. */
async function readPages(path: string, member: string): Promise<{ ids: string[]; totals: unknown[] }> {
  const ids: string[] = [];
  const totals: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { json, status } = await client.get(`${path}&limit=2${at}`, admin);
    expect([path, status]).toEqual([path, 200]);
    ids.push(...json[member].map(({ id }: { id: string }) => id));
    totals.push(json.total);
    cursor = json.next_cursor;
  }
  return { ids, totals };
}

it.each([
  ['', [soon, never, later]],
  ['&sort=-createdAt', [soon, never, later]],
  ['&sort=createdAt', [later, never, soon]],
  ['&sort=expiresAt', [soon, later, never]],
  ['&sort=-expiresAt', [never, later, soon]],
])(
  'API keys are listed newest first or by%s, page by page, each once, and each page has the total',
  async (sort, keys) => {
    const { ids, totals } = await readPages(`/api/v1/api-keys?q=${word}${sort}`, 'api_keys');
    expect(ids).toEqual(keys.map(({ id }) => id));
    expect(totals).toEqual([3, 3]);
  },
);

it.each([
  ['-createdAt', [a, c, b]],
  ['createdAt', [b, c, a]],
  ['name', [a, b, c]],
  ['-name', [c, b, a]],
])('contents are listed by %s, names in any case', async (sort, ids) => {
  const { json } = await client.get(`/api/v1/content?q=${word}&sort=${sort}`, admin);
  expect(json.items.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(json.total).toBe(3);
});

it('leases are listed newest first or oldest first, and each page has the total', async () => {
  const { ids, totals } = await readPages(`/api/v1/leases?viewerId=${viewerId}&sort=createdAt`, 'leases');
  expect(ids).toEqual(leases);
  expect(totals).toEqual([3, 3]);
  const newestFirst = await readPages(`/api/v1/leases?viewerId=${viewerId}`, 'leases');
  expect(newestFirst.ids).toEqual(leases.toReversed());
  const active = await client.get(`/api/v1/leases?viewerId=${viewerId}&state=active&limit=1`, admin);
  expect([active.json.total, active.json.total_active]).toEqual([3, 3]);
});

it('active leases are listed by their expiry, the next to end first', async () => {
  const { json } = await client.get('/api/v1/leases?state=active&sort=expiresAt&limit=500', admin);
  const ends = json.leases.map(({ expiresAt }: { expiresAt: string }) => expiresAt);
  expect(ends).toEqual([...ends].sort());
  const last = await client.get('/api/v1/leases?state=active&sort=-expiresAt&limit=500', admin);
  const lastEnds = last.json.leases.map(({ expiresAt }: { expiresAt: string }) => expiresAt);
  expect(lastEnds).toEqual([...lastEnds].sort().reverse());
});

it('the audit is listed newest first, or oldest first, page by page, each row once', async () => {
  const path = `/api/v1/audit?target=${a}`;
  for (const sizeBytes of [1, 2])
    await client.call('PATCH', `/api/v1/content/${a}`, { as: admin, json: { sizeBytes } });
  const oldest = await readPages(`${path}&sort=at`, 'audit');
  const newest = await readPages(path, 'audit');
  expect(await readPages(`${path}&sort=-at`, 'audit')).toEqual(newest);
  expect(oldest.ids).toHaveLength(3);
  expect(oldest.ids).toEqual([...newest.ids].reverse());
  expect(oldest.totals).toEqual([3, 3]);
});

it.each([
  '/api/v1/api-keys?sort=name',
  '/api/v1/content?sort=size',
  '/api/v1/leases?sort=-viewerId',
  '/api/v1/leases?sort=expiresAt',
  '/api/v1/leases?sort=expiresAt&state=expired',
  '/api/v1/leases?sort=expiresAt&state=active&viewerId=x',
  '/api/v1/audit?sort=action',
  '/api/v1/content?prefix=x&q=y',
  '/api/v1/content?prefix=x&sort=name',
  '/api/v1/content?prefix=',
])('an order that no index has is refused with 400: %s', async (path) => {
  expect((await client.get(path, admin)).code).toBe('VALIDATION_FAILED');
});

it('a cursor of one order is refused in another one with 400', async () => {
  const { json } = await client.get(`/api/v1/api-keys?q=${word}&sort=expiresAt&limit=1`, admin);
  const at = (sort: string) => `/api/v1/api-keys?q=${word}&sort=${sort}&cursor=${json.next_cursor}`;
  expect((await client.get(at('createdAt'), admin)).code).toBe('VALIDATION_FAILED');
  expect((await client.get(at('expiresAt'), admin)).status).toBe(200);
});

it.each([
  [`${word} A`, [a]],
  [`${word}-2`, [c]],
  [word.toUpperCase(), [a, b, c]],
  [word.slice(1), []],
])('contents whose name, in any case, or id begins with %j are found by it', async (prefix, ids) => {
  const { json } = await client.get(`/api/v1/content?prefix=${encodeURIComponent(prefix)}`, admin);
  expect(json.items.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(json.total).toBe(ids.length);
});
