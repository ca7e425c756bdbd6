import { expect, test } from 'vitest';
import { decodeCursor } from './cursor.ts';

test.each([
  '',
  '!',
  Buffer.from('x:y').toString('base64url'),
  Buffer.from("1:' or 1=1").toString('base64url'),
  Buffer.from('-1:a').toString('base64url'),
])('%j is not a cursor that this server gave, and gets 400', (text) =>
  expect(() => decodeCursor(text)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' })),
);
