import { expect, it } from 'vitest';
import { parseRetryAfter, retryDelayMs } from './fault.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

it('the pause doubles up to 30 s, and jitter shortens it by up to half', () => {
  expect([1, 2, 3, 7, 20].map((attempt) => retryDelayMs(attempt, undefined, 1))).toEqual([
    500, 1_000, 2_000, 30_000, 30_000,
  ]);
  expect([1, 2, 3, 7, 20].map((attempt) => retryDelayMs(attempt, undefined, 0))).toEqual([
    250, 500, 1_000, 15_000, 15_000,
  ]);
});

it('the pause is at least the Retry-After, and spread over a second more', () => {
  expect(retryDelayMs(1, 7_000, 0)).toBe(7_000);
  expect(retryDelayMs(1, 7_000, 1)).toBe(8_000);
  expect(retryDelayMs(6, 1_000, 1)).toBe(16_000);
});

it.each([
  ['7', 7_000],
  ['0', 0],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['999999', 300_000],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('the Retry-After %j is a wait of %j ms', (text, ms) => {
  expect(parseRetryAfter(text, now)).toBe(ms);
});
