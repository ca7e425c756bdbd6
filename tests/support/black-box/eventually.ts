import { vi } from 'vitest';

/** Repeats an assertion until it holds. What never comes fails after a minute. @returns what the assertion returns */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: 60_000, interval: 50 });
