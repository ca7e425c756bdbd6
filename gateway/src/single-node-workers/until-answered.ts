import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@latchkey/shared/errors';
import { CallUnanswered } from './calls.ts';

/** A parent that is short of a processor answers in a moment. Each try waits a second or two by itself. */
const pauseMs = 100;

/**
 * Asks the parent until it answers. A worker starts while the others and the parent need every core. If it gave up after one try, the
 * whole server would not start. No limit is needed: a worker ends with its parent.
 *
 * @throws every other error of `ask`, such as MasterKeyMismatch
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  wait: () => Promise<unknown> = () => pause(pauseMs),
): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
    }
    await wait();
  }
}

function isUnanswered(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'DEPENDENCY_UNAVAILABLE';
  return error instanceof CallUnanswered;
}
