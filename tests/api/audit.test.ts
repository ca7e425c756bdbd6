import type { Answer } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import {
  createApiKey,
  createLease,
  makeScene,
  registerContent,
  revokeApiKey,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

interface AuditRow {
  at: string;
  actor: { kind: string; id: string | null };
  action: string;
  target: string | null;
  clientIp: string;
  requestId: string;
  outcome: string;
  code: string | null;
  count: number;
}

/** A minute before this file's first act, so that clocks that differ do not matter. */
const since = encodeURIComponent(new Date(Date.now() - 60_000).toISOString());

const newest = async (query = ''): Promise<AuditRow[]> =>
  (await client.get(`/api/v1/audit${query}`, admin)).json.audit;

const rowsOf = async ({ requestId }: Answer, actor: string): Promise<AuditRow[]> =>
  (await newest(`?actor=${actor}&limit=500`)).filter((row) => row.requestId === requestId);

/** How often strangers were refused an action, by the audit so far. */
async function strangersRefused(action: string): Promise<number> {
  const rows = await newest(`?action=${action}&actor=anonymous&outcome=refused&from=${since}&limit=500`);
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Waits until the refusal of a stranger is counted. It has a row of its own only if it is the first from its address in that
 * minute. The count may be a second late.
 */
async function isCounted(action: string, attempt: () => Promise<Answer>): Promise<Answer> {
  const before = await strangersRefused(action);
  const answer = await attempt();
  await eventually(async () => expect(await strangersRefused(action)).toBeGreaterThan(before));
  return answer;
}

/** Every management action, by a credential, with what it acts on. */
const acts: Record<string, (as: string) => Promise<[Answer, string | undefined]>> = {
  'creating an API key': async (as) => {
    const answer = await client.post('/api/v1/api-keys', as, { name: 'x' });
    return [answer, answer.json.api_key.id];
  },
  'revoking an API key': async (as) => {
    const { id } = await createApiKey(target, 'full');
    return [await client.call('DELETE', `/api/v1/api-keys/${id}`, { as }), id];
  },
  'rotating an API key': async (as) => {
    const { id } = await createApiKey(target, 'full');
    return [await client.post(`/api/v1/api-keys/${id}/rotate`, as), undefined];
  },
  'registering a content': async (as) => {
    const id = unique('content');
    return [await client.post('/api/v1/content', as, { id, name: 'x' }), id];
  },
  'changing a content': async (as) => {
    const id = await registerContent(target);
    return [await client.call('PATCH', `/api/v1/content/${id}`, { as, json: { name: 'y' } }), id];
  },
  'disabling a content': async (as) => {
    const id = await registerContent(target);
    return [await client.call('DELETE', `/api/v1/content/${id}`, { as }), id];
  },
  'creating a lease': async (as) => {
    const { contentId, viewerId } = await makeScene(target);
    const answer = await client.post('/keys/leases', as, { contentId, viewerId });
    return [answer, answer.json.lease.id];
  },
  'renewing a lease': async (as) => {
    const leaseId = await createLease(target, await makeScene(target));
    return [await client.post('/keys/leases/renew', as, { leaseId }), leaseId];
  },
  'revoking a lease': async (as) => {
    const leaseId = await createLease(target, await makeScene(target));
    return [await client.post('/keys/leases/revoke', as, { leaseId }), leaseId];
  },
  'revoking a viewer': async (as) => [
    await client.post('/keys/leases/revoke', as, { viewerId: unique('viewer') }),
    undefined,
  ],
};

it.each(Object.entries(acts))(
  '%s leaves exactly one audit row, which exists before the answer and names the API key that acted',
  async (_name, act) => {
    const { id, raw } = await createApiKey(target, 'full');
    const [answer, targetId] = await act(raw);
    expect(answer.status).toBeLessThan(300);
    const rows = await newest(`?actor=${id}`);
    expect(rows).toMatchObject([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        actor: { kind: 'api-key', id },
        action: expect.stringMatching(/^[a-z-]+(\.[a-z-]+)?$/),
        clientIp: expect.stringMatching(/^[0-9a-f.:]+$/),
        requestId: answer.requestId,
        outcome: 'done',
        code: null,
        count: 1,
      },
    ]);
    if (targetId) expect(rows[0]?.target).toContain(targetId);
  },
);

const refusals: Record<string, (actor: string) => Promise<Answer>> = {
  VALIDATION_FAILED: (actor) => client.post('/api/v1/api-keys', actor, { name: '' }),
  API_KEY_NOT_FOUND: (actor) =>
    client.call('DELETE', `/api/v1/api-keys/${crypto.randomUUID()}`, { as: actor }),
  CONTENT_NOT_FOUND: (actor) => client.call('DELETE', `/api/v1/content/${unique('none')}`, { as: actor }),
  LEASE_NOT_FOUND: (actor) => client.post('/keys/leases/revoke', actor, { leaseId: crypto.randomUUID() }),
};

it.each([
  ...Object.entries(refusals).map(([code, attempt]) => ['full', code, attempt] as const),
  ['playback', 'INSUFFICIENT_SCOPE', (actor: string) => client.get('/api/v1/leases', actor)] as const,
])('a refusal of an API key with the scope %s with %s leaves one audit row', async (scope, code, attempt) => {
  const { id, raw } = await createApiKey(target, scope);
  const { requestId, code: answered } = await attempt(raw);
  expect(answered).toBe(code);
  expect(await newest(`?actor=${id}`)).toMatchObject([{ outcome: 'refused', code, requestId }]);
});

const wrongKey = `lk_${'0'.repeat(64)}`;
const strangers: [string, string, string | undefined, object][] = [
  ['/api/v1/api-keys', 'api-key.create', undefined, { name: 'x' }],
  ['/api/v1/content', 'content.create', wrongKey, { name: 'x' }],
  ['/keys/leases', 'lease.create', wrongKey, { contentId: 'film', viewerId: 'zed' }],
  ['/keys/leases/renew', 'lease.renew', wrongKey, { leaseId: crypto.randomUUID() }],
  ['/keys/leases/revoke', 'lease.revoke', wrongKey, { viewerId: 'zed' }],
];

it.each(strangers)(
  'the refusal of a stranger at %s is counted in the audit as %s',
  async (path, action, as, body) => {
    const answer = await isCounted(action, () => client.post(path, as, body));
    expect(answer.code).toBe(as ? 'INVALID_API_KEY' : 'UNAUTHENTICATED');
  },
);

it.each([
  ['API keys', (token: string) => client.get('/api/v1/api-keys', token)],
  [
    'the leases of others',
    (token: string) => client.post('/keys/leases/revoke', token, { viewerId: 'other' }),
  ],
])('the audit names a viewer that tries to manage %s', async (_what, attempt) => {
  const viewerId = unique('viewer');
  const answer = await attempt(viewerToken(jwtSecret, viewerId));
  expect(answer.code).toBe('INSUFFICIENT_SCOPE');
  expect((await rowsOf(answer, viewerId))[0]).toMatchObject({
    actor: { kind: 'viewer', id: viewerId },
    outcome: 'refused',
  });
});

it('refusals to a viewer about its own leases leave no audit row', async () => {
  const { token, contentId, viewerId } = await makeScene(target);
  for (const answer of [
    await client.post('/keys/leases/revoke', token, { leaseId: crypto.randomUUID() }),
    await client.post('/keys/leases/revoke', token, {}),
    await client.post('/keys/leases', token, { contentId: unique('none') }),
    await client.post('/keys/leases', undefined, { contentId }),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    for (const actor of [viewerId, 'anonymous']) expect(await rowsOf(answer, actor)).toEqual([]);
  }
});

it('the audit does not name a revoked API key, because anyone may hold it', async () => {
  const { id, raw } = await createApiKey(target, 'full');
  await revokeApiKey(target, id);
  await isCounted('api-key.list', () => client.get('/api/v1/api-keys', raw));
  expect(await newest(`?actor=${id}`)).toEqual([]);
});

it('a page of the audit has a hundred rows by default', async () => {
  await Promise.all(Array.from({ length: 101 }, () => client.get('/api/v1/audit?limit=0', admin)));
  const { json } = await client.get('/api/v1/audit', admin);
  expect(json.audit).toHaveLength(100);
  expect(json.next_cursor).not.toBeNull();
});

it('the audit shows no credential', async () => {
  const { raw } = await createApiKey(target, 'full');
  await client.get('/api/v1/api-keys?limit=0', raw);
  const { bytes } = await client.get('/api/v1/audit?limit=500', admin);
  for (const credential of client.credentials) expect(bytes.includes(credential)).toBe(false);
});

it('actions that are left out are in no page of the audit and no export, and more than 50 are refused', async () => {
  const contentId = await registerContent(target);
  const path = `/api/v1/content/${contentId}`;
  for (const name of ['Second', 'Third']) await client.call('PATCH', path, { as: admin, json: { name } });
  const query = `?target=${contentId}&without=content.update,lease.list`;
  expect((await newest(query)).map(({ action }) => action)).toEqual(['content.create']);
  const exported = await client.get(`/api/v1/audit/export${query}&format=jsonl`, admin);
  expect(exported.bytes.toString()).toMatch(/content\.create/);
  expect(exported.bytes.toString()).not.toMatch(/"action":"content\.update"/);
  const tooMany = Array.from({ length: 51 }, () => 'a.b').join();
  for (const without of [tooMany, 'A', '']) {
    const { status, code } = await client.get(`/api/v1/audit?without=${without}`, admin);
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
  }
});
