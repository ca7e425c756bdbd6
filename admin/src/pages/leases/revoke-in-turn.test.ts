import { expect, it } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { type Progress, readList, revokeInTurn } from './revoke-in-turn.ts';

it('a pasted list has each ID once, without empty lines and spaces around IDs', () => {
  expect(readList(' ada \r\nbob\n\n  \nada\neve x')).toEqual(['ada', 'bob', 'eve x']);
});

it('after a 429 the same target is tried again as late as the server says, and a failure stops nothing', async () => {
  const asked: string[] = [];
  const waitedMs: number[] = [];
  const seen: Progress<string>[] = [];
  const result = await revokeInTurn(['ada', 'bob', 'eve'], {
    async revoke(target) {
      asked.push(target);
      if (target === 'bob' && waitedMs.length === 0) throw new ApiError(429, { code: 'RATE_LIMITED' }, 7);
      if (target === 'eve') throw new ApiError(503, {}, null);
      return { revoked: 2 };
    },
    onProgress: (progress) => seen.push(progress),
    pause: async (ms) => void waitedMs.push(ms),
    signal: new AbortController().signal,
  });
  expect([asked, waitedMs]).toEqual([['ada', 'bob', 'bob', 'eve'], [7_000]]);
  expect(result).toMatchObject({ done: 3, revoked: 4, failed: [{ target: 'eve' }] });
  expect(seen.map(({ done }) => done)).toEqual([1, 2, 3]);
});

it('a revocation that is stopped revokes no further target', async () => {
  const controller = new AbortController();
  const asked: string[] = [];
  const { done } = await revokeInTurn(['ada', 'bob'], {
    async revoke(target) {
      asked.push(target);
      return { revoked: 1 };
    },
    onProgress: () => controller.abort(),
    pause: async () => {},
    signal: controller.signal,
  });
  expect([asked, done]).toEqual([['ada'], 1]);
});
