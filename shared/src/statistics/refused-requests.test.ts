import { expect, test } from 'vitest';
import type { RefusedRequest } from './process-report.ts';
import { keepContents, RefusedRequests, readKeyPath } from './refused-requests.ts';

const refusal = (at: number, fields: Partial<RefusedRequest> = {}): RefusedRequest => ({
  at,
  kind: 'key',
  status: 403,
  code: 'TOKEN_REVOKED',
  viewerId: 'ada',
  apiKeyId: null,
  contentId: 'film',
  epoch: null,
  leaseId: null,
  clientIp: '192.0.2.1',
  requestId: String(at),
  ...fields,
});

test('a flood of strangers pushes no refusal of a known viewer out, and memory stays bounded', () => {
  const refused = new RefusedRequests();
  refused.note(refusal(0));
  for (let at = 1; at <= 5_000; at++) refused.note(refusal(at, { viewerId: null, code: 'UNAUTHENTICATED' }));
  const all = refused.latest(10_000);
  expect(all).toHaveLength(251);
  expect(all[0]?.at).toBe(5_000);
  expect(all.at(-1)).toEqual(refusal(0));
  expect(refused.latest(3).map(({ at }) => at)).toEqual([5_000, 4_999, 4_998]);
});

test('a flood of one code pushes out its own refusals, and the latest of rare codes stay', () => {
  const refused = new RefusedRequests();
  for (let at = 0; at < 10; at++) refused.note(refusal(at, { code: 'LEASE_EXPIRED' }));
  for (let at = 10; at <= 5_000; at++) refused.note(refusal(at));
  const all = refused.latest(10_000);
  expect(all).toHaveLength(250);
  expect(all.slice(0, 240).map(({ at }) => at)).toEqual(Array.from({ length: 240 }, (_, n) => 5_000 - n));
  expect(all.slice(240).map(({ at, code }) => `${code} ${at}`)).toEqual(
    Array.from({ length: 10 }, (_, n) => `LEASE_EXPIRED ${9 - n}`),
  );
});

test.each([
  ['/keys/film', 'film', null],
  ['/keys/film/12', 'film', 12],
  ['/keys/film/12?access_token=***', 'film', 12],
  ['/keys/film/kid/5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11', 'film', null],
  ['/licenses/clearkey/film', 'film', null],
  ['/keys/***', null, null],
  ['/keys/', null, null],
])('%s names content %s and epoch %s', (path, contentId, epoch) =>
  expect(readKeyPath(path)).toEqual({ contentId, epoch }),
);

test('a refusal keeps ten contents of its token, the content of the request first, and none that contains a credential', () => {
  const ids = Array.from({ length: 300 }, (_, n) => `content-${n}`);
  expect(keepContents(new Set(ids), 'content-200')).toEqual(['content-200', ...ids.slice(0, 9)]);
  expect(keepContents(new Set(['other', `lk_${'a'.repeat(64)}`]), 'film')).toEqual(['other']);
  expect(keepContents(new Set(), null)).toEqual([]);
});
