import { expect, test } from 'vitest';
import type { Refusal } from '../../api/resources.ts';
import { findFaults, findRefusal, noQuestion, questionOf, writeQuestion } from './key-question.ts';
import { refusalFilter } from './refusal-filter.ts';

const refusal: Refusal = {
  ...{ at: '2026-11-27T00:00:00.000Z', kind: 'key', status: 403, code: 'TOKEN_REVOKED', process: 'p' },
  ...{ viewerId: 'ada', apiKeyId: null, contentId: 'film', epoch: 0, leaseId: null, clientIp: '::1' },
  requestId: 'r',
};
const asked = { viewer: 'ada', content: 'film', epoch: '0', lease: '', request: 'r' };

test('a viewer stays in the address', () => {
  const question = { viewer: 'ada@example.com', content: 'film', epoch: '', lease: 'l', request: 'r' };
  expect(refusalFilter.read(writeQuestion(question))).toMatchObject(question);
});

test.each([
  'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
  'Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
  'ey.a.b',
  'A'.repeat(43),
])('the credential %s is in no address', (viewer) =>
  expect(String(writeQuestion({ ...noQuestion, viewer }))).toBe(''),
);

test('each faulty field is named, and all but the first may be empty', () => {
  const faulty = { ...noQuestion, viewer: ' ', content: 'no content', epoch: '4294967296' };
  expect(Object.keys(findFaults(faulty))).toEqual(['viewer', 'content', 'epoch']);
  expect(findFaults({ ...noQuestion, viewer: `lk_${'a'.repeat(64)}` }).viewer).toMatch(/^An API key/);
  expect(findFaults({ ...noQuestion, viewer: 'ada' })).toEqual({});
});

test('a refusal is asked about by its viewer, or by its request ID if it has none', () => {
  expect(questionOf(refusal)).toEqual(asked);
  expect(questionOf({ ...refusal, viewerId: null, contentId: null })).toEqual({
    ...asked,
    ...{ viewer: 'r', content: '' },
  });
});

test('a refusal is found by its request ID in place of a viewer, or by its fields while nobody has changed them', () => {
  const other = { ...refusal, epoch: 1 };
  expect(findRefusal([other, refusal], { ...noQuestion, viewer: ' r ' })).toBe(other);
  expect(findRefusal([other, refusal], asked)).toBe(refusal);
  for (const changed of [{ request: '' }, { content: 'other' }, { viewer: 'bob' }])
    expect(findRefusal([refusal], { ...asked, ...changed })).toBeUndefined();
});
