import { databaseKinds } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';

const admin = { credential: testBootstrapKey };

describe.each(databaseKinds(process.env))('the audit on $name', (kind) => {
  let auth: AuthFixture;
  beforeEach(async () => {
    auth = await startAuth({ kind });
  });
  afterEach(() => auth.close());

  const list = (query = '') => auth.ask('GET', `/api/v1/audit${query}`, admin);
  const actions = async (query = '') =>
    (await list(query)).body.audit.map((row: { action: string }) => row.action);

  it('the audit shows actor, action, target, client and outcome', async () => {
    const headers = { 'x-request-id': 'my-request' };
    const { body } = await auth.ask('POST', '/api/v1/api-keys', { ...admin, headers, body: { name: 'x' } });
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      audit: [
        {
          id: expect.stringMatching(/^\d+$/),
          at: '2026-01-01T00:00:00.000Z',
          actor: { kind: 'bootstrap-key', id: null },
          action: 'api-key.create',
          target: body.api_key.id,
          clientIp: '127.0.0.1',
          requestId: 'my-request',
          outcome: 'done',
          code: null,
          affected: null,
          count: 1,
          details: {
            changes: { name: { before: null, after: 'x' }, scope: { before: null, after: 'full' } },
          },
        },
      ],
      next_cursor: null,
      total: 1,
    });
  });

  it('the audit is newest first, in pages without a gap, refusals included', async () => {
    const { id } = await auth.create();
    await auth.ask('DELETE', `/api/v1/api-keys/${id}`);
    await auth.ask('DELETE', `/api/v1/api-keys/${id}`, admin);
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);
    const rows = [...first.body.audit, ...second.body.audit];
    expect(rows.map((row) => [row.action, row.outcome, row.code])).toEqual([
      ['api-key.revoke', 'done', null],
      ['api-key.revoke', 'refused', 'UNAUTHENTICATED'],
      ['api-key.create', 'done', null],
    ]);
    expect(second.body.next_cursor).toBeNull();
  });

  it('the audit can be filtered by action, by actor and by kind of actor', async () => {
    const { id, rawKey } = await auth.create();
    const other = await auth.create();
    await auth.ask('DELETE', `/api/v1/api-keys/${other.id}`, { credential: rawKey });
    await auth.ask('GET', '/api/v1/api-keys');
    expect(await actions('?action=api-key.revoke')).toEqual(['api-key.revoke']);
    expect(await actions(`?actor=${id}`)).toEqual(['api-key.revoke']);
    expect(await actions('?actor=bootstrap-key')).toEqual(['api-key.create', 'api-key.create']);
    expect(await actions('?actor=anonymous')).toEqual(['api-key.list']);
    expect(await actions('?actor=bootstrap-key&action=api-key.revoke')).toEqual([]);
    expect(await actions('?action=nothing.such')).toEqual([]);
  });

  it('a refused request for the audit is audited, and an answered one is not', async () => {
    await auth.ask('GET', '/api/v1/audit');
    await list();
    expect(await actions()).toEqual(['audit.list']);
  });

  it.each(['limit=0', 'limit=501', 'cursor=x', 'action=A', 'action=', 'actor=', 'actor=%00', 'who=me'])(
    'the audit returns 400 for ?%s',
    async (query) => {
      const answer = await list(`?${query}`);
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
    },
  );

  it('the audit accepts the largest possible cursor', async () => {
    const cursor = Buffer.from('9999999999999999:').toString('base64url');
    expect((await list(`?cursor=${cursor}`)).status).toBe(200);
  });

  it('the audit answers 405 to a method that it does not have', async () => {
    const answer = await auth.ask('PUT', '/api/v1/audit', admin);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});
