import { expect, test } from 'vitest';
import { AppError, codes, problems, toProblem } from './errors.ts';

/** The codes of `docs/errors.md`; the last four come from HTTP itself. */
const documented = {
  VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  INVALID_TOKEN: 401,
  INVALID_API_KEY: 401,
  INVALID_SESSION: 401,
  INSUFFICIENT_SCOPE: 403,
  LEASE_REQUIRED: 403,
  LEASE_UNKNOWN: 403,
  LEASE_EXPIRED: 403,
  LEASE_REVOKED: 403,
  TOKEN_REVOKED: 403,
  CONTENT_NOT_ENTITLED: 403,
  EPOCH_NOT_YET: 403,
  EPOCH_PAST: 403,
  SETUP_REFUSED: 403,
  CONTENT_NOT_FOUND: 404,
  EPOCH_NOT_FOUND: 404,
  API_KEY_NOT_FOUND: 404,
  LEASE_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  NOT_FOUND: 404,
  SETUP_ALREADY_DONE: 409,
  PUBLIC_URL_MISSING: 409,
  SESSION_UNAVAILABLE: 409,
  LEASE_LIMIT_REACHED: 409,
  WEBHOOKS_OFF: 409,
  WEBHOOK_LIMIT_REACHED: 409,
  CONTENT_EXISTS: 412,
  CPIX_REFUSED: 422,
  RATE_LIMITED: 429,
  KEY_PACE_EXCEEDED: 429,
  DEPENDENCY_UNAVAILABLE: 503,
  INTERNAL: 500,
};
const ofHttp = {
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HEADERS_TOO_LARGE: 431,
};

test('the codes and their statuses are the documented ones, no more and no fewer', () => {
  const statuses = Object.fromEntries(Object.entries(codes).map(([code, { status }]) => [code, status]));
  expect(statuses).toEqual({ ...documented, ...ofHttp });
});

test('a problem carries the members of RFC 9457, the code, the request id and its own members', () => {
  const error = new AppError('INSUFFICIENT_SCOPE', {
    detail: 'Too small.',
    members: { scope: 'admin full' },
  });
  expect(toProblem(error, 'r-1')).toEqual({
    type: 'urn:latchkey:error:INSUFFICIENT_SCOPE',
    title: codes.INSUFFICIENT_SCOPE.title,
    status: 403,
    detail: 'Too small.',
    code: 'INSUFFICIENT_SCOPE',
    requestId: 'r-1',
    scope: 'admin full',
  });
});

test('a problem never shows the inner cause', () => {
  const error = new AppError('INTERNAL', { cause: new Error('password=secret') });
  expect(JSON.stringify(toProblem(error, 'r-1'))).not.toContain('secret');
});

test('a route documents its refusals by status, and what can happen to any route', () => {
  const answers = problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY');
  expect(Object.keys(answers)).toEqual(['400', '401', '429', '500', '503']);
  expect(answers[401]).toMatchObject({ description: 'UNAUTHENTICATED, INVALID_API_KEY' });
});
