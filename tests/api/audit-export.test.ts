import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

const audit = async (query: string) => (await client.get(`/api/v1/audit?${query}`, admin)).json.audit;

it('the audit is searched by target, outcome and time', async () => {
  const contentId = await registerContent(target);
  const [row] = await audit(`target=${contentId}`);
  expect(row).toMatchObject({ action: 'content.create', target: contentId });
  const at = Date.parse(row.at);
  const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const found = (query: string) => audit(`target=${contentId}&${query}`).then((rows) => rows.length);
  expect(await found('outcome=done')).toBe(1);
  expect(await found('outcome=refused')).toBe(0);
  expect(await found(`from=${time(at)}`)).toBe(1);
  expect(await found(`from=${time(at + 1)}`)).toBe(0);
  expect(await found(`to=${time(at + 1)}`)).toBe(1);
  expect(await found(`to=${time(at)}`)).toBe(0);
});

it.each([
  'from=yesterday',
  'to=2026-02-31',
  'outcome=maybe',
  'target=',
  'action=A',
  'action=',
  'actor=',
  'who=me',
])('the list and the export of the audit refuse the filter %s', async (query) => {
  for (const path of ['/api/v1/audit?', '/api/v1/audit/export?format=csv&'])
    expect((await client.get(path + query, admin)).code).toBe('VALIDATION_FAILED');
});

it('the export as JSON Lines has all the records of the list, over many pages', async () => {
  const viewerId = unique('viewer');
  const token = viewerToken(jwtSecret, viewerId);
  for (let n = 0; n < 12; n++)
    await Promise.all(
      Array.from({ length: 50 }, () =>
        client.call('GET', '/api/v1/leases', { as: token, isOneOfMany: true }),
      ),
    );
  const { bytes, headers, type } = await client.get(
    `/api/v1/audit/export?format=jsonl&actor=${viewerId}`,
    admin,
  );
  expect(type).toBe('application/x-ndjson');
  expect(headers['content-disposition']).toMatch(/^attachment; filename="latchkey-audit-[\d-]+\.jsonl"$/);
  const records = bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records).toHaveLength(600);
  expect(new Set(records.map(({ id }) => id)).size).toBe(600);
  expect(records.slice(0, 100)).toEqual(await audit(`actor=${viewerId}`));
});

it('the name of a viewer cannot be a formula in the export as CSV', async () => {
  const viewerId = unique('=HYPERLINK("http://evil.example","x")');
  await client.get('/api/v1/leases', viewerToken(jwtSecret, viewerId));
  const query = `format=csv&actor=${encodeURIComponent(viewerId)}`;
  const { bytes, type } = await client.get(`/api/v1/audit/export?${query}`, admin);
  expect(type).toBe('text/csv');
  const [head, row, end] = bytes.toString().split('\r\n');
  expect(head).toBe(
    'id,at,actor_kind,actor_id,action,target,client_ip,request_id,outcome,code,affected,count,details,person',
  );
  expect(row).toContain(`,viewer,"'${viewerId.replaceAll('"', '""')}",lease.list,`);
  expect(end).toBe('');
});

it('an export of the audit needs the format csv or jsonl', async () => {
  expect((await client.get('/api/v1/audit/export?format=xml', admin)).code).toBe('VALIDATION_FAILED');
  expect((await client.get('/api/v1/audit/export', admin)).code).toBe('VALIDATION_FAILED');
});

it('HEAD of an export has the headers of GET without a length, and leaves no record', async () => {
  const actor = await createApiKey(target, 'full');
  const path = '/api/v1/audit/export?format=csv&action=audit.export';
  const head = await client.call('HEAD', path, { as: actor.raw });
  expect(head.status).toBe(200);
  expect(head.headers['content-length']).toBeUndefined();
  expect(await audit(`actor=${actor.id}`)).toEqual([]);
  const { headers } = await client.get(path, actor.raw);
  for (const name of ['content-type', 'content-disposition', 'content-length'])
    expect([name, head.headers[name]]).toEqual([name, headers[name]]);
});

it('an export leaves a record of who exported what, and a page of the list leaves no record', async () => {
  const actor = await createApiKey(target, 'full');
  await client.get('/api/v1/audit', actor.raw);
  expect(await audit(`actor=${actor.id}`)).toEqual([]);
  const { bytes, requestId } = await client.get(
    '/api/v1/audit/export?format=jsonl&action=audit.export&outcome=done',
    actor.raw,
  );
  const [record] = await audit(`actor=${actor.id}`);
  expect(record).toMatchObject({
    action: 'audit.export',
    target: 'format=jsonl action=audit.export outcome=done',
    actor: { kind: 'api-key', id: actor.id },
    outcome: 'done',
    requestId,
  });
  expect(JSON.parse(bytes.toString().split('\n')[0] ?? '')).toEqual(record);
});
