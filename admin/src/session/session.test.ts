import { expect, it, vi } from 'vitest';
import { ApiError, UnreachableError } from '../api/api-error.ts';
import type { CurrentApiKey } from '../api/resources.ts';
import { createSession, refusedReason, storageKey } from './session.ts';

const apiKey: CurrentApiKey = { id: 'a', name: 'Mona', scope: 'admin' };

/** Resolves after all pending promise callbacks. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

function stage({
  kept = null as string | null,
  readCurrent = async () => apiKey,
  after = (_ms: number, _act: () => void) => {},
} = {}) {
  const stored = new Map<string, string>(kept === null ? [] : [[storageKey, kept]]);
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  };
  const read = vi.fn<(credential: string) => Promise<CurrentApiKey>>(readCurrent);
  const onChange = vi.fn();
  return { session: createSession({ storage, readCurrent: read, onChange, after }), stored, read, onChange };
}

it('the key is kept in memory only, unless the admin asks to remember it', async () => {
  const { session, stored } = stage();
  await session.signIn('lk_1', false);
  expect([session.credential(), stored.size, session.state.get().status]).toEqual(['lk_1', 0, 'signed-in']);
  await session.signIn('lk_2', true);
  expect(stored.get(storageKey)).toBe('lk_2');
});

it('the end of a session removes its key and data', async () => {
  const { session, stored, onChange } = stage();
  await session.signIn('lk_1', true);
  onChange.mockClear();
  session.signOut('why');
  expect([session.credential(), stored.size, onChange.mock.calls.length]).toEqual([null, 0, 1]);
  expect(session.state.get()).toEqual({ status: 'signed-out', reason: 'why' });
});

it('a session does not start with a key that the server refuses', async () => {
  const { session, stored } = stage({ readCurrent: async () => Promise.reject(new ApiError(401, {})) });
  await expect(session.signIn('lk_1', true)).rejects.toBeInstanceOf(ApiError);
  expect([session.credential(), stored.size, session.state.get().status]).toEqual([null, 0, 'signed-out']);
});

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
  const { session, stored, read } = stage({ kept: 'lk_kept', readCurrent: async () => apiKey });
  expect(read).toHaveBeenCalledTimes(1);
  await settled();
  expect(session.state.get().status).toBe('signed-in');

  const gone = stage({ kept: 'lk_kept', readCurrent: async () => Promise.reject(new UnreachableError()) });
  await settled();
  expect([gone.session.state.get().status, gone.stored.size]).toEqual(['restoring', 1]);
  gone.read.mockResolvedValueOnce(apiKey);
  gone.session.resume();
  await settled();
  expect(gone.session.state.get().status).toBe('signed-in');
  expect(stored.size).toBe(1);
});

it('a remembered key is checked again after a 429, without signing out', async () => {
  const waiting: [number, () => void][] = [];
  const { session, read, stored } = stage({
    kept: 'lk_kept',
    readCurrent: async () => Promise.reject(new ApiError(429, {}, 23)),
    after: (ms, act) => void waiting.push([ms, act]),
  });
  await settled();
  expect(waiting.map(([ms]) => ms)).toEqual([23_000]);
  expect([session.state.get().status, stored.size]).toEqual(['restoring', 1]);
  read.mockResolvedValueOnce(apiKey);
  waiting[0]?.[1]();
  await settled();
  expect(session.state.get().status).toBe('signed-in');
});

it('a session ends when the server refuses its key, but not when it refuses another key', async () => {
  const { session } = stage();
  await session.signIn('lk_1', false);
  session.refuse('lk_0');
  expect(session.credential()).toBe('lk_1');
  session.refuse('lk_1');
  expect(session.state.get()).toEqual({ status: 'signed-out', reason: refusedReason });
});

it('a session continues with the replacement of its key, even if the old key is refused before the replacement arrives', async () => {
  const { session } = stage();
  await session.signIn('lk_1', false);
  const answer = Promise.withResolvers<{ raw_key: string; api_key: CurrentApiKey }>();
  const replacing = session.replace(() => answer.promise);
  session.refuse('lk_1');
  expect(session.credential()).toBe('lk_1');
  answer.resolve({ raw_key: 'lk_2', api_key: apiKey });
  await replacing;
  expect([session.credential(), session.state.get().status]).toEqual(['lk_2', 'signed-in']);
  session.refuse('lk_1');
  expect(session.credential()).toBe('lk_2');
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
