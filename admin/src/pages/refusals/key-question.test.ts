import { expect, test } from 'vitest';
import type { Refusal } from '../../api/statistics.ts';
import { questionOf, readAddress, readQuestion, writeQuestion } from './key-question.ts';

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
