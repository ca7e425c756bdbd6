import { AppError } from '@latchkey/shared/errors';
import { expect, it } from 'vitest';
import { explainError } from './explain-error.ts';

it('a full disk is explained in plain words, with the file', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    path: '/out/a.ts',
  });
  expect(explainError(error)).toBe('/out/a.ts: no space is left on the disk (ENOSPC)');
});

it('the explanation of an AppError is its detail, and the explanation of any other error is its message', () => {
  expect(explainError(new AppError('VALIDATION_FAILED', { detail: '--out is a file' }))).toBe(
    '--out is a file',
  );
  expect(explainError(new Error('odd'))).toBe('odd');
});
