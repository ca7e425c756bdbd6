import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { ContentIdSchema, isContentId, isUuid } from './ids.ts';

const uuid = '0190a6c0-1d5e-7cc3-98c4-dc0c0c07398f';

test.each([
  ['film', true],
  ['Film_2-x', true],
  ['leases2', true],
  ['x'.repeat(256), true],
  ['x'.repeat(257), false],
  ['', false],
  ['leases', false],
  ['a/b', false],
  ['a b', false],
  ['film\n', false],
  ['für', false],
])('a content can have the id %j: %s', (id, expected) => {
  expect(isContentId(id)).toBe(expected);
  expect(Value.Check(ContentIdSchema, id)).toBe(expected);
});

test.each([
  [uuid, true],
  [uuid.toUpperCase(), false],
  [`${uuid} `, false],
  [`${uuid}\n`, false],
  [uuid.replaceAll('-', ''), false],
  [`{${uuid}}`, false],
  ['', false],
])('%j is a UUID as this server writes it: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

test('a raw API key, or half of one, is not the id of a content', () => {
  expect(isContentId(`lk_${'0a'.repeat(32)}`)).toBe(false);
  expect(isContentId(`film-LK_${'0A'.repeat(16)}`)).toBe(false);
  // As long as the id of a session.
  expect(isContentId('RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o')).toBe(true);
  expect(isContentId('lk_2026112613')).toBe(true);
});
