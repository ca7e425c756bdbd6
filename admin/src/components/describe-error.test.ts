import { expect, it } from 'vitest';
import { ApiError, UnreachableError, UnreadableError } from '../api/api-error.ts';
import { describeError, type Purpose } from './describe-error.ts';

it('every kind of error gets a title, advice and, for an answer of the server, its request ID', () => {
  const faults = [
    new UnreachableError(),
    new TypeError('x is undefined'),
    ...[
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'RATE_LIMITED',
      'DEPENDENCY_UNAVAILABLE',
      'INTERNAL',
      'NOT_FOUND',
    ].map((code) => new ApiError(400, { code, detail: 'Because.', requestId: 'r-1' })),
  ];
  for (const fault of faults) {
    const { title, advice, requestId } = describeError(fault);
    expect(title).not.toBe('');
    expect(advice).not.toBe('');
    expect(requestId).toBe(fault instanceof ApiError ? 'r-1' : null);
  }
});

it('the advice names the seconds to wait, or the invalid fields', () => {
  expect(describeError(new ApiError(429, { code: 'RATE_LIMITED' }, 12)).advice).toBe(
    'Try again in 12 seconds.',
  );
  const errors = [{ path: '/name', message: 'is too long' }];
  expect(describeError(new ApiError(400, { code: 'VALIDATION_FAILED', errors })).advice).toBe(
    'name is too long',
  );
});

const adviceOn = (error: Error, purpose: Purpose) => describeError(error, purpose).advice;
const perhaps = /may or may not have been done/;

it('a lost answer to an action is described as possibly done, and never as retried by the page', () => {
  const fault503 = new ApiError(503, { code: 'DEPENDENCY_UNAVAILABLE' }, 2);
  for (const error of [new UnreachableError(), new UnreadableError(), new TypeError(), fault503]) {
    expect(adviceOn(error, 'act')).toMatch(perhaps);
    expect(adviceOn(error, 'act')).not.toMatch(/by itself|Nothing on the server/);
    expect(adviceOn(error, 'shown')).not.toMatch(perhaps);
  }
  expect(adviceOn(new ApiError(403, { code: 'INSUFFICIENT_SCOPE' }), 'act')).not.toMatch(perhaps);
});

it('only data that is read again by itself is described as retried', () => {
  expect(adviceOn(new UnreachableError(), 'shown')).toMatch(/by itself/);
  expect(adviceOn(new UnreachableError(), 'read-once')).not.toMatch(/by itself/);
});

it('a refusal by a proxy, which has no code, is described by its status', () => {
  expect(describeError(new ApiError(503, {}, 30))).toMatchObject({
    title: 'The server is unavailable',
    advice: 'Try again in 30 seconds.',
  });
  expect(describeError(new ApiError(429, {}, 45)).advice).toBe('Try again in 45 seconds.');
  expect(describeError(new ApiError(413, {})).title).toBe('The request is too large');
});
