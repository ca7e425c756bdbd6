import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AppError, codes, problems, toProblem } from './errors.ts';

test('docs/reference/errors.md has one row for each error code, with its status, a cause and what to check', () => {
  const text = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| (.+?) \| (.+?) \|$/gm)];
  const documented = rows.map(([, code, status]) => [code, Number(status)]);
  const thrown = Object.entries(codes).map(([code, { status }]) => [code, status]);
  expect(documented).toEqual(thrown);
});

test('a problem has its own members, and never shows the inner cause', () => {
  const error = new AppError('INSUFFICIENT_SCOPE', {
    detail: 'Too small.',
    cause: new Error('password=secret'),
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

test('a route documents its refusals by status, and what can happen to any route', () => {
  const answers = problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY');
  expect(Object.keys(answers)).toEqual(['400', '401', '429', '500', '503']);
  expect(answers[401]).toMatchObject({ description: 'UNAUTHENTICATED, INVALID_API_KEY' });
});
