import { expect, it } from 'vitest';
import { ApiError, UnreachableError } from '../api/api-error.ts';
import { describeError } from './describe-error.ts';

it('says what to do about every kind of fault, and names the request where there was one', () => {
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

it('names the seconds to wait, and the members that are wrong', () => {
  expect(describeError(new ApiError(429, { code: 'RATE_LIMITED' }, 12)).advice).toBe(
    'Try again in 12 seconds.',
  );
  const errors = [{ path: '/name', message: 'is too long' }];
  expect(describeError(new ApiError(400, { code: 'VALIDATION_FAILED', errors })).advice).toBe(
    'name is too long',
  );
});
