import { randomUUID } from 'node:crypto';
import { eventually } from '@latchkey/support/black-box/eventually';
import {
  askForKey,
  createApiKey,
  createLease,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { nowSeconds, viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

interface Step {
  step: string;
  answer: string;
  code: string | null;
  facts: Record<string, unknown>;
}

const ask = async (body: Record<string, unknown>) => {
  const { status, json } = await client.post('/api/v1/key-decisions', admin, body);
  expect(status).toBe(200);
  return json;
};
const refusedStep = ({ steps }: { steps: Step[] }) => steps.find(({ answer }) => answer === 'refused');

it('each decision is shown in its order, with the one that refuses and what it went by', async () => {
  const scene = await makeScene(target);
  const { viewerId, contentId, token } = scene;
  expect(await ask({ viewerId, contentId })).toMatchObject({
    outcome: 'served',
    code: null,
    viewerId,
    contentId,
  });
  const leaseId = await createLease(target, scene);
  await revokeLeases(target, { viewerId });
  const last = 'not-reached';
  // As soon as the replica that answers knows of the revocation.
  await eventually(async () => {
    const byToken = await ask({ token, contentId });
    expect(byToken).toMatchObject({ outcome: 'refused', code: 'TOKEN_REVOKED', viewerId });
    // Within the tolerance of clocks, the mark holds against a new token too.
    expect(byToken.withNewToken).toEqual({ outcome: 'refused', code: 'TOKEN_REVOKED' });
    const answers = byToken.steps.map(({ step, answer }: Step) => `${step}: ${answer}`);
    expect(answers).toEqual([
      ...['credential: passed', 'entitlement: skipped', 'content: passed', 'lease: skipped'],
      ...['marks: refused', `lease-mode: ${last}`, `key-periods: ${last}`, `key: ${last}`, `pace: ${last}`],
    ]);
    const markedAt = Date.parse(String(refusedStep(byToken)?.facts.markedAt));
    expect(Math.abs(Date.parse(byToken.decidedAt) - markedAt)).toBeLessThan(60_000);
    const byLease = await ask({ token, contentId, leaseId });
    expect(refusedStep(byLease)).toMatchObject({
      step: 'lease',
      code: 'LEASE_REVOKED',
      facts: { viewerId },
    });
  });
  // A token that is issued long after the mark passes.
  const later = new Date(Date.now() + 3_600_000).toISOString();
  expect(await ask({ viewerId, contentId, issuedAt: later })).toMatchObject({ outcome: 'served' });
});

it('what is explained is what a player gets', async () => {
  const { contentId, viewerId } = await makeScene(target);
  const other = viewerToken(jwtSecret, viewerId, { content_ids: ['other'] });
  const expired = viewerToken(jwtSecret, viewerId, { exp: 1 });
  for (const token of [other, expired, viewerToken(jwtSecret, viewerId)]) {
    const { code } = await ask({ token, contentId });
    const got = await askForKey(target, { token, contentId });
    expect(String(got)).toContain(code ?? '200');
  }
  const missing = unique('none');
  expect(refusedStep(await ask({ viewerId, contentId: missing }))).toMatchObject({
    code: 'CONTENT_NOT_FOUND',
  });
});

it('neither the token nor an API key is in an answer, and only management may ask', async () => {
  const { contentId, token } = await makeScene(target);
  for (const pasted of [token, `${token}x`]) {
    const answer = await ask({ token: pasted, contentId });
    expect(JSON.stringify(answer)).not.toContain(pasted.split('.')[2]);
  }
  const { raw } = await createApiKey(target, 'playback');
  const refused = await client.post('/api/v1/key-decisions', admin, { token: raw, contentId });
  expect(refused.code).toBe('VALIDATION_FAILED');
  expect(JSON.stringify(refused.json)).not.toContain(raw);
  for (const as of [token, raw, undefined])
    expect([401, 403]).toContain(
      (await client.post('/api/v1/key-decisions', as, { token, contentId })).status,
    );
});

it('a token without a content is explained as far as the credential goes, with its viewer', async () => {
  const { viewerId, token } = await makeScene(target);
  const accepted = await ask({ token });
  expect(accepted).toMatchObject({
    outcome: 'unknown',
    code: null,
    viewerId,
    contentId: '',
    withNewToken: null,
  });
  const answers = new Set(accepted.steps.slice(1).map(({ answer }: Step) => answer));
  expect([accepted.steps[0].answer, answers]).toEqual(['passed', new Set(['not-reached'])]);
  const expired = await ask({ token: viewerToken(jwtSecret, viewerId, { exp: 1 }) });
  expect(expired).toMatchObject({ outcome: 'refused', code: 'INVALID_TOKEN', contentId: '' });
});

it.each([
  {},
  { viewerId: 'v' },
  { token: 'A'.repeat(43) },
  { contentId: 'x' },
  { contentId: 'x', viewerId: 'v', token: 'ey.a.b' },
  { contentId: 'no content', viewerId: 'v' },
  { contentId: 'x', viewerId: 'v\0' },
  { contentId: 'x', viewerId: 'v', issuedAt: 'yesterday' },
  { contentId: 'x', viewerId: 'v', issuedAt: '' },
  { contentId: 'x', viewerId: 'v', contentIds: ['no content'] },
  { contentId: 'x', token: 'ey.a.b', contentIds: [] },
])('the question %o is refused', async (body) => {
  expect((await client.post('/api/v1/key-decisions', admin, body)).code).toBe('VALIDATION_FAILED');
});

it('the latest refusals are listed with code, viewer, content, address and request id, and served keys are not', async () => {
  const { contentId, viewerId, token } = await makeScene(target);
  const leaseId = randomUUID();
  expect(await askForKey(target, { token, contentId }, leaseId)).toBe('403 LEASE_UNKNOWN');
  await askForKey(target, { token, contentId });
  await eventually(async () => {
    const { json } = await client.get('/api/v1/statistics?steps=1&refusals=500', admin);
    const own = json.statistics.refusals.filter(
      (refusal: { viewerId: string }) => refusal.viewerId === viewerId,
    );
    expect(own).toHaveLength(1);
    const expected = { kind: 'key', status: 403, code: 'LEASE_UNKNOWN', contentId, leaseId, epoch: null };
    expect(own[0]).toMatchObject(expected);
    expect(own[0].clientIp).toMatch(/[.:]/);
    expect(own[0].requestId.length).toBeGreaterThan(8);
  });
  const { json } = await client.get('/api/v1/statistics?steps=1', admin);
  expect(json.statistics.refusals).toEqual([]);
});

it('a refusal is explained with what its token said, and with a new token of that viewer', async () => {
  const { contentId, viewerId } = await makeScene(target);
  const named = unique('named');
  const iat = nowSeconds() - 600;
  const other = viewerToken(jwtSecret, viewerId, { iat, content_ids: [named, 'third'] });
  expect(await askForKey(target, { token: other, contentId })).toBe('403 CONTENT_NOT_ENTITLED');
  const said = await eventually(async () => {
    const { json } = await client.get('/api/v1/statistics?steps=1&refusals=500', admin);
    const own = json.statistics.refusals.find(
      (refusal: { viewerId: string }) => refusal.viewerId === viewerId,
    );
    const { issuedAt, contentIds } = own ?? {};
    expect({ issuedAt, contentIds }).toEqual({
      issuedAt: new Date(iat * 1_000).toISOString(),
      contentIds: [named, 'third'],
    });
    return { issuedAt, contentIds };
  });
  expect(await ask({ viewerId, contentId, ...said })).toMatchObject({
    ...{ outcome: 'refused', code: 'CONTENT_NOT_ENTITLED' },
    withNewToken: { outcome: 'served', code: null },
  });
  expect(await ask({ viewerId, contentId: named, ...said })).toMatchObject({ code: 'CONTENT_NOT_FOUND' });
  // A token without `iat` may be older than any mark; here there is no mark.
  expect(await ask({ viewerId, contentId, issuedAt: null })).toMatchObject({ outcome: 'served' });
});
