import { expect, test } from 'vitest';
import type { Refusal } from '../../api/statistics.ts';
import {
  isCredential,
  noQuestion,
  questionOf,
  readAddress,
  readQuestion,
  writeQuestion,
} from './key-question.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

test('a token is sent as a token and never written into an address', () => {
  const question = { ...noQuestion, who: ` ${token} `, contentId: 'film', epoch: '3' };
  expect(isCredential(question.who)).toBe(true);
  expect(readQuestion(question).described).toEqual({ contentId: 'film', token, epoch: 3 });
  expect(writeQuestion(question).toString()).toBe('content=film&epoch=3');
});

test('a viewer stays in the address', () => {
  const question = { who: 'ada@example.com', contentId: 'film', epoch: '', leaseId: 'l' };
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
  });
  expect(described).toBeNull();
  expect(Object.keys(faults)).toEqual(['who', 'contentId', 'epoch']);
});

test('a refusal without a viewer or a content cannot be explained', () => {
  const refusal = { viewerId: 'ada', contentId: 'film', epoch: 0, leaseId: null } as Refusal;
  expect(questionOf(refusal)).toEqual({ who: 'ada', contentId: 'film', epoch: '0', leaseId: '' });
  expect(questionOf({ ...refusal, viewerId: null })).toBeNull();
  expect(questionOf({ ...refusal, contentId: null })).toBeNull();
});
