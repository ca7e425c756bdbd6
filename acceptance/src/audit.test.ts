import { expect, it } from 'vitest';
import type { Answer } from './answer.ts';
import { eventually } from './eventually.ts';
import { listPendingMigrations } from './pending-migrations.ts';
import { createApiKey, createLease, makeScene, registerContent, revokeApiKey } from './server-actions.ts';
import { openTarget } from './target.ts';
import { unique, viewerToken } from './tokens.ts';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;
const countsStrangers = !(await listPendingMigrations(target)).includes('0005-audit');

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

/** The rows of a request, found among all rows that were written meanwhile. */
async function rowsOf({ requestId }: Answer): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { json } = await client.get(`/api/v1/audit?limit=500&from=${since}${page}`, admin);
    rows.push(...json.audit.filter((row: AuditRow) => row.requestId === requestId));
    cursor = json.next_cursor;
  }
  return rows;
}

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

/** Every management action, with what it acts on. */
const acts: Record<string, () => Promise<[Answer, string | undefined]>> = {
  'creating an API key': async () => {
    const answer = await client.post('/api/v1/api-keys', admin, { name: 'x' });
    return [answer, answer.json.api_key.id];
  },
  'revoking an API key': async () => {
    const { id } = await createApiKey(target, 'full');
    return [await client.call('DELETE', `/api/v1/api-keys/${id}`, { as: admin }), id];
  },
  'rotating an API key': async () => {
    const { id } = await createApiKey(target, 'full');
    return [await client.post(`/api/v1/api-keys/${id}/rotate`, admin), undefined];
  },
  'registering a content': async () => {
    const id = unique('content');
    return [await client.post('/api/v1/content', admin, { id, name: 'x' }), id];
  },
  'changing a content': async () => {
    const id = await registerContent(target);
    return [await client.call('PATCH', `/api/v1/content/${id}`, { as: admin, json: { name: 'y' } }), id];
  },
  'disabling a content': async () => {
    const id = await registerContent(target);
    return [await client.call('DELETE', `/api/v1/content/${id}`, { as: admin }), id];
  },
  'creating a lease': async () => {
    const { contentId, viewerId } = await makeScene(target);
    const answer = await client.post('/keys/leases', admin, { contentId, viewerId });
    return [answer, answer.json.lease.id];
  },
  'renewing a lease': async () => {
    const leaseId = await createLease(target, await makeScene(target));
    return [await client.post('/keys/leases/renew', admin, { leaseId }), leaseId];
  },
  'revoking a lease': async () => {
    const leaseId = await createLease(target, await makeScene(target));
    return [await client.post('/keys/leases/revoke', admin, { leaseId }), leaseId];
  },
  'revoking a viewer': async () => {
    const { viewerId } = await makeScene(target);
    return [await client.post('/keys/leases/revoke', admin, { viewerId }), undefined];
  },
};

it.each(Object.keys(acts))(
  '%s leaves exactly one audit row, which exists before the answer',
  async (name) => {
    const [answer, targetId] = (await acts[name]?.()) ?? [];
    if (!answer) throw new Error('no act');
    expect(answer.status).toBeLessThan(300);
    const rows = await rowsOf(answer);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      actor: { kind: 'bootstrap-key', id: null },
      action: expect.stringMatching(/^[a-z-]+(\.[a-z-]+)?$/),
      clientIp: expect.stringMatching(/^[0-9a-f.:]+$/),
      outcome: 'done',
      code: null,
      count: 1,
    });
    if (targetId) expect(rows[0]?.target).toContain(targetId);
  },
);

it('the audit row names the API key that acted', async () => {
  const { id, raw } = await createApiKey(target, 'full');
  const answer = await client.post('/api/v1/content', raw, { name: 'x' });
  expect((await rowsOf(answer))[0]?.actor).toEqual({ kind: 'api-key', id });
  expect((await newest(`?actor=${id}`)).map(({ requestId }) => requestId)).toEqual([answer.requestId]);
});

// With an API key of its own: an actor with a thousand refusals, like the bootstrap key of a shared server, has them counted together.
const refusals: Record<string, (actor: string) => Promise<Answer>> = {
  INSUFFICIENT_SCOPE: async () => client.get('/api/v1/leases', (await createApiKey(target, 'playback')).raw),
  VALIDATION_FAILED: (actor) => client.post('/api/v1/api-keys', actor, { name: '' }),
  API_KEY_NOT_FOUND: (actor) =>
    client.call('DELETE', `/api/v1/api-keys/${crypto.randomUUID()}`, { as: actor }),
  CONTENT_NOT_FOUND: (actor) => client.call('DELETE', `/api/v1/content/${unique('none')}`, { as: actor }),
  LEASE_NOT_FOUND: (actor) => client.post('/keys/leases/revoke', actor, { leaseId: crypto.randomUUID() }),
};

it.each(Object.keys(refusals))('a refusal with %s leaves one audit row', async (code) => {
  const { raw } = await createApiKey(target, 'full');
  const answer = await refusals[code]?.(raw);
  if (!answer) throw new Error('no refusal');
  expect(answer.code).toBe(code);
  const rows = await rowsOf(answer);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ outcome: 'refused', code });
});

const strangers: [string, string, () => Promise<Answer>][] = [
  ['UNAUTHENTICATED', 'api-key.create', () => client.post('/api/v1/api-keys', undefined, { name: 'x' })],
  [
    'INVALID_API_KEY',
    'content.create',
    () => client.post('/api/v1/content', `lk_${'0'.repeat(64)}`, { name: 'x' }),
  ],
];

it.runIf(countsStrangers).each(strangers)(
  'a refusal with %s, of a stranger, is counted in the audit',
  async (code, action, attempt) => {
    expect((await isCounted(action, attempt)).code).toBe(code);
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
  expect((await rowsOf(answer))[0]).toMatchObject({
    actor: { kind: 'viewer', id: viewerId },
    outcome: 'refused',
  });
});

it.runIf(countsStrangers).each([
  ['/keys/leases', 'lease.create', { contentId: 'film', viewerId: 'zed' }],
  ['/keys/leases/renew', 'lease.renew', { leaseId: crypto.randomUUID() }],
  ['/keys/leases/revoke', 'lease.revoke', { viewerId: 'zed' }],
])('the refusal of an unknown API key at %s is counted in the audit', async (path, action, body) => {
  const answer = await isCounted(action, () => client.post(path, `lk_${'0'.repeat(64)}`, body));
  expect(answer.code).toBe('INVALID_API_KEY');
});

it('refusals to a viewer about its own leases leave no audit row', async () => {
  const { token, contentId } = await makeScene(target);
  for (const answer of [
    await client.post('/keys/leases/revoke', token, { leaseId: crypto.randomUUID() }),
    await client.post('/keys/leases/revoke', token, {}),
    await client.post('/keys/leases', token, { contentId: unique('none') }),
    await client.post('/keys/leases', undefined, { contentId }),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await rowsOf(answer)).toEqual([]);
  }
});

it.runIf(countsStrangers)(
  'the audit does not name a revoked API key, because anyone may hold it',
  async () => {
    const { id, raw } = await createApiKey(target, 'full');
    await revokeApiKey(target, id);
    await isCounted('api-key.list', () => client.get('/api/v1/api-keys', raw));
    expect(await newest(`?actor=${id}`)).toEqual([]);
  },
);

it('the audit is listed newest first, page by page, each row once', async () => {
  const answers = [];
  for (let n = 0; n < 5; n++) answers.push(await client.post('/api/v1/content', admin, { name: `n${n}` }));
  const wanted = answers.map(({ requestId }) => requestId).toReversed();
  const seen: string[] = [];
  let cursor = '';
  while (seen.filter((id) => wanted.includes(id)).length < 5) {
    const { json } = await client.get(`/api/v1/audit?limit=2&action=content.create${cursor}`, admin);
    expect(json.audit.length).toBeLessThanOrEqual(2);
    expect(new Set(json.audit.map(({ action }: AuditRow) => action))).toEqual(new Set(['content.create']));
    seen.push(...json.audit.map(({ requestId }: AuditRow) => requestId));
    cursor = `&cursor=${encodeURIComponent(json.next_cursor)}`;
  }
  expect(seen.filter((id) => wanted.includes(id))).toEqual(wanted);
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
