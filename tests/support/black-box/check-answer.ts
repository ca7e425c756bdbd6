import { expect } from 'vitest';
import type { Answer, Problem } from './answer.ts';
import type { ApiDocument } from './api-document.ts';

/** The codes of `docs/reference/errors.md`. */
const statusOf: Record<string, number> = {
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
  EPOCH_NOT_YET: 403,
  EPOCH_PAST: 403,
  EPOCH_NOT_FOUND: 404,
  KEY_PACE_EXCEEDED: 429,
  VIEWER_BLOCKED: 403,
  TOKEN_REVOKED: 403,
  CONTENT_NOT_ENTITLED: 403,
  SETUP_REFUSED: 403,
  CONTENT_NOT_FOUND: 404,
  API_KEY_NOT_FOUND: 404,
  LEASE_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SETUP_ALREADY_DONE: 409,
  PUBLIC_URL_MISSING: 409,
  SESSION_UNAVAILABLE: 409,
  LEASE_LIMIT_REACHED: 409,
  WEBHOOKS_OFF: 409,
  WEBHOOK_LIMIT_REACHED: 409,
  IDEMPOTENCY_KEY_IN_USE: 409,
  CONTENT_EXISTS: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  CPIX_REFUSED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  DEPENDENCY_UNAVAILABLE: 503,
};

/** Paths that are not in the document: its own, and the dashboard's files. */
const undocumented = /^\/(openapi\.json|admin)(\/|$)/;

/** Checks an answer against `docs/reference/contract.md#conventions` and the OpenAPI document. Throws the first fault. */
export function checkAnswer(answer: Answer, sentRequestId: string | undefined, api: ApiDocument): void {
  const { method, path, status, headers, requestId } = answer;
  const about = `${method} ${path} → ${status} ${answer.bytes.subarray(0, 500).toString('utf8')}`;
  expect(requestId, `X-Request-Id of ${about}`).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  if (sentRequestId !== undefined && /^[A-Za-z0-9._-]{1,64}$/.test(sentRequestId))
    expect(requestId, `X-Request-Id of ${about}`).toBe(sentRequestId);
  expect(headers['content-encoding'], about).toBeUndefined();
  if (method === 'HEAD') expect(answer.bytes.length, about).toBe(0);
  if (status >= 400 && status !== 503 && path !== '/ready') checkRefusal(answer, about);
  if (status === 503 && path !== '/ready') {
    checkRefusal(answer, about);
    expect(headers['retry-after'], about).toMatch(/^\d+$/);
  }
  checkDocumented(answer, api, about);
}

function checkRefusal(answer: Answer, about: string): void {
  const { status, headers, method } = answer;
  expect(answer.type, about).toBe('application/problem+json');
  if (method !== 'HEAD') checkProblem(answer, answer.json, about);
  // The routes for encoders offer `Basic` after it.
  const challenge = headers['www-authenticate']?.replace(/, Basic realm="latchkey"$/, '');
  if (status === 401) expect(challenge, about).toMatch(/^Bearer realm="latchkey"/);
  if (answer.code === 'UNAUTHENTICATED') expect(challenge, about).toBe('Bearer realm="latchkey"');
  if (/^INVALID_/.test(answer.code ?? '')) expect(challenge, about).toContain('error="invalid_token"');
  if (answer.code === 'INSUFFICIENT_SCOPE') {
    expect(challenge, about).toContain('error="insufficient_scope"');
    // A route for viewers only has no scope to name, and an empty list is not a scope (RFC 6749 section 3.3).
    if (answer.json.scope) expect(challenge, about).toContain(`scope="${answer.json.scope}"`);
  }
  if (status === 405) expect(headers.allow, about).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  if (status === 429 || answer.code === 'EPOCH_NOT_YET') {
    expect(headers['retry-after'], about).toMatch(/^\d+$/);
  }
  if (answer.code === 'RATE_LIMITED') {
    expect(headers.ratelimit, about).toBeTruthy();
    expect(headers['ratelimit-policy'], about).toBeTruthy();
  }
}

function checkProblem({ status, requestId }: Answer, problem: Problem, about: string): void {
  expect(problem, about).toMatchObject({
    type: `urn:latchkey:error:${problem.code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    requestId,
  });
  expect(statusOf[problem.code], about).toBe(status);
  if (status === 400) expect(problem.errors?.length, about).toBeGreaterThan(0);
}

/** Checks the answer against the document: HEAD like GET, unknown paths as not found, undocumented methods as refused. */
function checkDocumented(answer: Answer, api: ApiDocument, about: string): void {
  const { method, path, status, type } = answer;
  const methods = api.methodsOf(path);
  if (undocumented.test(path) || (method === 'OPTIONS' && status === 204)) return;
  if (methods.length === 0) {
    if (method !== 'HEAD')
      expect(answer.code, about).toMatch(/^(NOT_FOUND|METHOD_NOT_ALLOWED|VALIDATION_FAILED)$/);
    return;
  }
  const asked = method === 'HEAD' ? 'GET' : method;
  if (!methods.includes(asked)) {
    // A feature that is turned off has no paths.
    if (answer.code === 'NOT_FOUND') return;
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    expect(status, about).toBe(405);
    expect(answer.headers.allow?.split(', ').sort(), about).toEqual(allowed.sort());
    return;
  }
  const body = answer.json ?? answer.bytes.toString('latin1');
  if (method !== 'HEAD') expect(api.judge({ method, path, status, type, body }), about).toEqual([]);
}
