import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.ts';

test('a cursor decodes to the values that it was made from', () => {
  for (const cursor of [
    { at: 1_767_225_600_123, id: '3f0e8a3c-6a43-4a5d-9e0b-0d5e9a2f1c77' },
    { at: 0, id: '' },
    { at: 42, id: 'x'.repeat(256) },
  ]) {
    expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor);
    expect(decodeCursor(encodeCursor(cursor, '-expiresAt'), '-expiresAt')).toEqual(cursor);
  }
});

test('a cursor of another order is refused with 400', () => {
  const cursor = { at: 42, id: 'a' };
  for (const [made, used] of [
    ['', 'expiresAt'],
    ['expiresAt', ''],
    ['expiresAt', '-expiresAt'],
  ] as const)
    expect(() => decodeCursor(encodeCursor(cursor, made), used)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED' }),
    );
});

test.each([
  '',
  'garbage',
  '!',
  Buffer.from('x:y').toString('base64url'),
  Buffer.from("1:' or 1=1").toString('base64url'),
  Buffer.from('-1:a').toString('base64url'),
])('%j is not one that this server gave: 400', (text) =>
  expect(() => decodeCursor(text)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' })),
);
