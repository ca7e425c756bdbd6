import { AppError } from '@latchkey/shared/errors';
import { expect, it } from 'vitest';
import { CallUnanswered } from './calls.ts';
import { untilAnswered } from './until-answered.ts';

/** Fails with each error in turn, then answers. */
function answerAfter(...errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'yes';
  };
}
const atOnce = async () => {};

it('a worker that starts asks a parent again that does not answer in time', async () => {
  const late = [
    new AppError('DEPENDENCY_UNAVAILABLE'),
    new CallUnanswered('begin: no answer within 1000 ms'),
  ];
  expect(await untilAnswered(answerAfter(...late, ...late), atOnce)).toBe('yes');
});

it.each([new Error('the master key differs'), new AppError('INTERNAL')])(
  'a worker that starts does not ask again after the error %s',
  async (error) => {
    await expect(untilAnswered(answerAfter(error), atOnce)).rejects.toBe(error);
  },
);
