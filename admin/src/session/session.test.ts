import { expect, it, onTestFinished, vi } from 'vitest';
import { ApiError, UnreachableError } from '../api/api-error.ts';
import type { CurrentApiKey } from '../api/schema.ts';
import { createSession, refusedReason, storageKey } from './session.ts';

const apiKey: CurrentApiKey = { id: 'a', name: 'Mona', scope: 'admin' };

/** Resolves after all pending promise callbacks. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

function stage({ kept = null as string | null, readCurrent = async () => apiKey } = {}) {
  const stored = new Map<string, string>(kept === null ? [] : [[storageKey, kept]]);
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  };
  const read = vi.fn<(credential: string) => Promise<CurrentApiKey>>(readCurrent);
  const onChange = vi.fn();
  return { session: createSession({ storage, readCurrent: read, onChange }), stored, read, onChange };
}

it('a remembered key is restored, and its replacement is remembered as well', async () => {
  const { session, stored } = stage({ kept: 'lk_kept' });
  expect(session.state.get().status).toBe('restoring');
  await settled();
  expect(session.state.get().status).toBe('signed-in');
  session.continueWith('lk_new', apiKey);
  expect([session.credential(), stored.get(storageKey)]).toEqual(['lk_new', 'lk_new']);
});

it('a remembered key that is no longer accepted is removed, with a reason', async () => {
  const { session, stored } = stage({
    kept: 'lk_kept',
    readCurrent: async () => Promise.reject(new ApiError(401, {})),
  });
  await settled();
  expect(session.state.get()).toEqual({ status: 'signed-out', reason: refusedReason });
  expect(stored.size).toBe(0);
});

it('a remembered key is kept while the server does not answer', async () => {
  const gone = stage({ kept: 'lk_kept', readCurrent: async () => Promise.reject(new UnreachableError()) });
  await settled();
  expect([gone.session.state.get().status, gone.stored.size]).toEqual(['restoring', 1]);
  gone.read.mockResolvedValueOnce(apiKey);
  gone.session.resume();
  await settled();
  expect(gone.session.state.get().status).toBe('signed-in');
});

it('a remembered key is checked again after a 429, without signing out', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { session, read, stored } = stage({
    kept: 'lk_kept',
    readCurrent: async () => Promise.reject(new ApiError(429, {}, 23)),
  });
  await vi.advanceTimersByTimeAsync(22_999);
  expect(read).toHaveBeenCalledTimes(1);
  expect([session.state.get().status, stored.size]).toEqual(['restoring', 1]);
  read.mockResolvedValueOnce(apiKey);
  await vi.advanceTimersByTimeAsync(1);
  expect(session.state.get().status).toBe('signed-in');
});

it('a session ends if its key is refused and no replacement arrives', async () => {
  const { session } = stage();
  await session.signIn('lk_1', false);
  const lost = session.replace(() => {
    session.refuse('lk_1');
    return Promise.reject(new UnreachableError());
  });
  await expect(lost).rejects.toBeInstanceOf(UnreachableError);
  expect(session.state.get()).toEqual({ status: 'signed-out', reason: refusedReason });
});
