import { expect, test } from 'vitest';
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Refusal } from '../../api/resources.ts';
import { explainKey, needsContent } from './explain-key.ts';
import { type KeyQuestion, noQuestion, questionOf } from './key-question.ts';

const leaseId = '0b1f7a52-6a0e-4a54-9a2b-0d6f3f6f0c11';
const at = '2026-11-27T12:00:00.000Z';
const lease = { id: leaseId, viewerId: 'ada', contentId: 'film', state: 'active', createdAt: at };
const refusal: Refusal = {
  ...{ at, kind: 'key', status: 403, code: 'LEASE_REVOKED', process: 'p', issuedAt: null },
  ...{ viewerId: 'ada', apiKeyId: null, contentId: 'film', epoch: 3, leaseId, clientIp: '::1' },
  requestId: 'r',
};
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

type Answers = Record<string, (options: { params?: object; body?: object }) => unknown>;

/** A server that gives these answers, by method and path, and 404 for every other call. */
function stage(answers: Answers, refusals: Refusal[] = []) {
  const calls: { route: string; options: { params?: object; body?: object } }[] = [];
  const api = {
    async call(method: string, path: string, options: { params?: object; body?: object }) {
      const route = `${method} ${path}`;
      calls.push({ route, options });
      const answer = answers[route];
      if (!answer) throw new ApiError(404, { code: 'NOT_FOUND' }, null);
      return answer(options);
    },
  } as unknown as Api;
  const ask = (question: Partial<KeyQuestion>) =>
    explainKey({ api, refusals, seesAll: true }, { ...noQuestion, ...question });
  const asked = () => calls.filter(({ route }) => route === decisions).map(({ options }) => options.body);
  return { ask, asked, calls };
}

const decisions = 'post /api/v1/key-decisions';
/** The decision of a server that serves every key, and accepts every token. */
const serve: Answers[string] = ({ body }) => {
  const { contentId = '', viewerId = 'ada' } = body as { contentId?: string; viewerId?: string };
  return { outcome: contentId ? 'served' : 'unknown', code: null, viewerId, contentId, steps: [] };
};
const listLeases = (leases: object[]) => ({ 'get /api/v1/leases': () => ({ leases }) });
const noBlock = { 'get /api/v1/viewers/{viewerId}/block': () => ({ block: null }) };

test('a viewer is asked about with its latest refusal, and what its token said', async () => {
  const { ask, asked } = stage({ [decisions]: serve, ...listLeases([lease]) }, [
    refusal,
    { ...refusal, contentId: 'older' },
  ]);
  expect(await ask({ viewer: ' ada ' })).toMatchObject({ refusal, isAssumed: false });
  const body = { viewerId: 'ada', contentId: 'film', epoch: 3, leaseId, issuedAt: null, contentIds: null };
  expect(asked()).toEqual([body]);
});

test('a viewer without a refusal is asked about with its newest lease, which is named if it was revoked', async () => {
  const active = stage({ [decisions]: serve, ...listLeases([lease]) });
  expect((await active.ask({ viewer: 'ada' })).isAssumed).toBe(true);
  const revoked = stage({ [decisions]: serve, ...listLeases([{ ...lease, state: 'revoked' }]) });
  await revoked.ask({ viewer: 'ada' });
  expect([...active.asked(), ...revoked.asked()]).toEqual([
    { viewerId: 'ada', contentId: 'film' },
    { viewerId: 'ada', contentId: 'film', leaseId },
  ]);
});

test('a lease that is newer than the latest refusal is what a viewer is asked about', async () => {
  const newer = { ...lease, contentId: 'next', createdAt: '2026-11-27T12:00:01.000Z' };
  const { ask, asked } = stage({ [decisions]: serve, ...listLeases([newer]) }, [refusal]);
  await ask({ viewer: 'ada' });
  expect(asked()).toEqual([{ viewerId: 'ada', contentId: 'next' }]);
});

test('a lease is found by its ID, and a UUID without one is a viewer', async () => {
  const { ask, asked } = stage({ [decisions]: serve, 'get /api/v1/leases/{id}': () => ({ lease }) });
  await ask({ viewer: leaseId });
  expect(asked()).toEqual([{ viewerId: 'ada', contentId: 'film', leaseId }]);
  const viewer = stage({ [decisions]: serve, ...listLeases([{ ...lease, viewerId: leaseId }]) });
  await viewer.ask({ viewer: leaseId });
  expect(viewer.asked()).toEqual([{ viewerId: leaseId, contentId: 'film' }]);
});

test('a typed content is asked about, whatever the latest refusal is of', async () => {
  const { ask, asked } = stage({ [decisions]: serve }, [refusal]);
  await ask({ viewer: 'ada', content: 'typed', epoch: '7' });
  expect(asked()).toEqual([{ viewerId: 'ada', contentId: 'typed', epoch: 7 }]);
});

test.each([token, `Authorization: Bearer ${token}`, `https://x.example/keys/a?access_token=${token}`])(
  'the token in %s is sent to the route of decisions alone, and its content is found by its viewer',
  async (who) => {
    const { ask, asked, calls } = stage({ [decisions]: serve, ...listLeases([lease]) });
    await ask({ viewer: who });
    expect(asked()).toEqual([{ token }, { token, contentId: 'film' }]);
    const others = calls.filter(({ route }) => route !== decisions);
    expect(JSON.stringify(others)).not.toContain(token.slice(0, 20));
  },
);

test('a token that is not accepted is explained without a content', async () => {
  const refused = { outcome: 'refused', code: 'INVALID_TOKEN', viewerId: null, contentId: '', steps: [] };
  const { ask, calls } = stage({ [decisions]: () => refused });
  const explained = await ask({ viewer: token });
  expect([calls.length, explained.decision, needsContent(explained)]).toEqual([1, refused, false]);
});

test('a viewer that nothing names needs a content, and its block is known', async () => {
  const block = { viewerId: 'ada', blockedAt: at, until: null, reason: 'chargeback' };
  const { ask } = stage({
    ...listLeases([]),
    'get /api/v1/viewers/{viewerId}/block': () => ({ block }),
  });
  const explained = await ask({ viewer: 'ada' });
  expect([explained.decision, explained.cause.block, needsContent(explained)]).toEqual([null, block, true]);
});

test('a refusal without a viewer is what it is, and one of a session is asked about by its lease', async () => {
  const stranger = { ...refusal, viewerId: null, leaseId: null };
  const unknown = stage({}, [stranger]);
  const explained = await unknown.ask(questionOf(stranger));
  expect([explained.decision, explained.refusal]).toEqual([null, stranger]);
  const { issuedAt: _, ...ofSession } = { ...refusal, viewerId: null };
  const session = stage({ [decisions]: serve, 'get /api/v1/leases/{id}': () => ({ lease }) }, [ofSession]);
  await session.ask(questionOf(ofSession));
  expect(session.asked()).toEqual([{ viewerId: 'ada', contentId: 'film', epoch: 3, leaseId }]);
});

test('a revoked lease has its reason, its mark, and the act of the audit that revoked it', async () => {
  const revoked = {
    ...lease,
    state: 'revoked',
    revokedAt: at,
    revokedBy: 'management',
    reason: 'chargeback',
  };
  const decision = {
    ...{ outcome: 'refused', code: 'LEASE_REVOKED', viewerId: 'ada', contentId: 'film' },
    steps: [{ step: 'lease', answer: 'refused', facts: { leaseId, revokedAt: at } }],
  };
  const act = (action: string, target: string) => ({ action, target });
  const own = act('lease.revoke', 'viewer:ada');
  const mark = { id: 'm', viewerId: 'ada', contentId: null, markedAt: at };
  const { ask, calls } = stage(
    {
      ...{ [decisions]: () => decision, 'get /api/v1/leases/{id}': () => ({ lease: revoked }) },
      ...noBlock,
      'get /api/v1/audit': () => ({
        audit: [act('content.update', 'film'), act('lease.revoke', 'viewer:bob'), own],
      }),
      'get /api/v1/marks': () => ({ marks: [{ ...mark, id: 'n', contentId: 'other' }, mark] }),
    },
    [refusal],
  );
  const { cause } = await ask(questionOf(refusal));
  expect(cause).toMatchObject({ at, reason: 'chargeback', record: own, mark, block: null });
  const query = calls.find(({ route }) => route === 'get /api/v1/audit')?.options.params;
  expect(query).toMatchObject({
    query: { from: '2026-11-27T11:59:58.000Z', to: '2026-11-27T12:00:02.000Z', outcome: 'done' },
  });
});

test('a token that the revocation of one lease refuses has the act on that lease', async () => {
  const decision = {
    ...{ outcome: 'refused', code: 'TOKEN_REVOKED', viewerId: 'ada', contentId: 'film' },
    steps: [{ step: 'marks', answer: 'refused', facts: { markedAt: at } }],
  };
  const record = { action: 'lease.revoke', target: leaseId, details: { reason: 'shared' } };
  const { ask } = stage({
    ...{ [decisions]: () => decision, 'get /api/v1/leases/{id}': () => ({ lease }) },
    ...noBlock,
    'get /api/v1/audit': () => ({ audit: [record] }),
    'get /api/v1/marks': () => ({ marks: [] }),
  });
  const { cause } = await ask({ viewer: 'ada', content: 'film' });
  expect(cause).toMatchObject({ at, reason: 'shared', record, mark: null });
});
