import { eventually } from '@latchkey/support/black-box/eventually';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it, vi } from 'vitest';

// A server of its own, because strangers whose rows are merged have no name by which these tests could tell them from others.
const server = await startServer({ TRUST_PROXY: '1' });
const { client, adminApiKey: admin, jwtSecret } = server;

interface Row {
  clientIp: string | null;
  count: number;
  code: string;
}
const rowsOf = async (query: string): Promise<Row[]> =>
  (await client.get(`/api/v1/audit?limit=500&${query}`, admin)).json.audit;
const countOf = (rows: readonly Row[]) => rows.reduce((sum, { count }) => sum + count, 0);
/** The rows, once they count this many refusals. A process may write its count a second late. */
const counted = (query: string, count: number): Promise<Row[]> =>
  eventually(async () => {
    const rows = await rowsOf(query);
    expect(countOf(rows)).toBe(count);
    return rows;
  });
const from = (address: string) => ({ 'x-forwarded-for': address });
const by = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** Sends a request, again after a 503 of a busy machine. */
async function send(path: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') {
  while ((await client.call(method, path, { headers, isOneOfMany: true })).status === 503);
}

/** Sends many requests, fifty at a time. */
async function flood(times: number, call: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => call(n + i)));
}

it('wrong keys from one address take one row a minute in the audit, with their number', async () => {
  const address = from('203.0.113.1');
  await flood(500, () => send('/api/v1/content', { ...address, ...by(`lk_${'0'.repeat(64)}`) }));
  await flood(500, () => send('/api/v1/content', address, 'POST'));
  const listed = await counted('action=content.list&outcome=refused', 500);
  const created = await counted('action=content.create&outcome=refused', 500);
  for (const rows of [listed, created]) {
    // Two if the minute ended meanwhile, three if the machine also stalled.
    expect(rows.length).toBeLessThanOrEqual(3);
  }
  expect(listed[0]).toMatchObject({ clientIp: '203.0.113.1', code: 'INVALID_API_KEY' });
  expect(created[0]).toMatchObject({ clientIp: '203.0.113.1', code: 'UNAUTHENTICATED' });
});

it('in the audit, an IPv6 network of 2^64 addresses counts as one address', async () => {
  await flood(200, (n) => send('/api/v1/leases', from(`2001:db8::${n.toString(16)}`)));
  const rows = await counted('action=lease.list&outcome=refused&actor=anonymous', 200);
  expect(rows.length).toBeLessThanOrEqual(3);
});

it('refusals from a thousand addresses take fewer than two hundred rows, and each is counted', async () => {
  await flood(1_000, (n) => send('/api/v1/audit', from(`198.51.${n >> 8}.${n & 255}`)));
  const rows = await counted('action=audit.list&outcome=refused', 1_000);
  expect(rows.length).toBeLessThan(200);
  expect(rows.some(({ clientIp, count }) => clientIp === null && count > 1)).toBe(true);
});

it('each refusal of a known viewer or API key has a row with its name, until they are a flood', async () => {
  const viewerId = unique('viewer');
  const { id, raw } = await createApiKey(server, 'playback');
  const token = viewerToken(jwtSecret, viewerId);
  await flood(100, () => send('/api/v1/leases', by(raw)));
  await flood(1_500, () => send('/api/v1/leases', by(token)));
  expect((await rowsOf(`actor=${id}`)).map(({ count }) => count)).toEqual(Array(100).fill(1));
  const exportOf = async () => {
    const { bytes } = await client.get(`/api/v1/audit/export?format=jsonl&actor=${viewerId}`, admin);
    return bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  };
  const rows = await vi.waitFor(
    async () => {
      const exported = await exportOf();
      expect(countOf(exported)).toBe(1_500);
      return exported;
    },
    { timeout: 20_000, interval: 500 },
  );
  expect(rows.length).toBeGreaterThanOrEqual(1_001);
  expect(rows.length).toBeLessThan(1_050);
});
