import { expect, test } from 'vitest';
import type { Refusal } from '../../api/resources.ts';
import {
  claimsOf,
  explainNothing,
  findRefusal,
  questionOf,
  readAddress,
  readQuestion,
  writeQuestion,
} from './key-question.ts';

test('a viewer stays in the address', () => {
  const question = { who: 'ada@example.com', contentId: 'film', epoch: '', leaseId: 'l', requestId: 'r' };
  expect(readAddress(writeQuestion(question))).toEqual(question);
  expect(readQuestion(question).described).toEqual({
    ...{ contentId: 'film', viewerId: 'ada@example.com', leaseId: 'l' },
  });
});

test('each faulty field is named', () => {
  const { described, faults } = readQuestion({
    who: ' ',
    contentId: 'no content',
    epoch: '4294967296',
    leaseId: '',
    requestId: '',
  });
  expect(described).toBeNull();
  expect(Object.keys(faults)).toEqual(['who', 'contentId', 'epoch']);
});

const refusal: Refusal = {
  ...{ at: '2026-11-27T00:00:00.000Z', kind: 'key', status: 403, code: 'TOKEN_REVOKED', process: 'p' },
  ...{ viewerId: 'ada', apiKeyId: null, contentId: 'film', epoch: 0, leaseId: null, clientIp: '::1' },
  requestId: 'r',
};
const asked = { who: 'ada', contentId: 'film', epoch: '0', leaseId: '', requestId: 'r' };

test('a refusal without a viewer or a content cannot be explained, and the reason is named', () => {
  expect(questionOf(refusal)).toEqual(asked);
  for (const missing of [{ viewerId: null }, { contentId: null }]) {
    expect(questionOf({ ...refusal, ...missing })).toBeNull();
    expect(explainNothing({ ...refusal, ...missing })).toContain('was refused with TOKEN_REVOKED');
  }
});

test('a refusal is found by its request ID in place of a viewer, or by its fields while nobody has changed them', () => {
  const other = { ...refusal, epoch: 1 };
  const typed = { ...asked, who: ' r ', contentId: '', requestId: '' };
  expect(findRefusal([other, refusal], typed)).toBe(other);
  expect(findRefusal([other, refusal], asked)).toBe(refusal);
  for (const changed of [{ requestId: '' }, { contentId: 'other' }, { who: 'bob' }])
    expect(findRefusal([refusal], { ...asked, ...changed })).toBeUndefined();
});

test('an unknown request ID is a fault of its own field, unless the refusals are not read', () => {
  const unknown = { ...asked, who: 'x', contentId: '' };
  expect(readQuestion(unknown).faults).toEqual({ who: expect.stringMatching(/^No refusal in memory/) });
  expect(readQuestion(unknown, false).faults).toEqual({ who: expect.stringMatching(/are not read/) });
});

test('what the token of a refused request said is asked about, if the server kept it', () => {
  expect(claimsOf(undefined)).toEqual({});
  expect(claimsOf(refusal)).toEqual({});
  const token = { issuedAt: null, contentIds: ['other'] };
  expect(claimsOf({ ...refusal, ...token })).toEqual(token);
});
