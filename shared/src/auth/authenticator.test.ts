import { beforeEach, describe, expect, test } from 'vitest';
import { AuthorityCache } from '../authority/index.ts';
import type { ApiKeyState } from '../contracts/index.ts';
import { AppError } from '../errors/index.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { generateApiKey, hashCredential, keyPrefixOf } from './api-key.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';

const key = generateApiKey(() => Buffer.alloc(32, 7));
const state: ApiKeyState = { id: 'k-1', name: 'n', scope: 'full', expiresAt: null, revokedAt: null };

let clock: ManualClock;
let stored: ApiKeyState | null | Error;
let reads: string[];
let uses: [string, number][];
let cache: AuthorityCache<ApiKeyState>;
let authenticator: Authenticator;

beforeEach(() => {
  clock = createManualClock();
  stored = state;
  reads = [];
  uses = [];
  cache = new AuthorityCache<ApiKeyState>({
    async load(cacheKey) {
      reads.push(cacheKey);
      if (stored instanceof Error) throw stored;
      return stored;
    },
    bytesOf: () => 100,
    maxBytes: 10_000,
    feed: { vouchesFor: () => true },
    clock,
  });
  authenticator = create(false);
});

function create(allowAnonymous: boolean): Authenticator {
  const verifier = { noteUse: (id: string, at: number) => void uses.push([id, at]) };
  return createAuthenticator({ apiKeys: cache, verifier, tokens: null, allowAnonymous, clock });
}
const refusal = async (credential: string | null, access: 'manage' | 'keys' = 'manage') => {
  try {
    await authenticator.authenticate(credential, access);
  } catch (error) {
    return error instanceof AppError ? error : Promise.reject(error);
  }
  throw new Error('it was accepted');
};

test('an API key is its prefix and 64 hex digits, told apart by its first 11 characters', () => {
  expect(key).toBe(`lk_${'07'.repeat(32)}`);
  expect(keyPrefixOf(key)).toBe('lk_07070707');
  expect(hashCredential('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

describe('an API key', () => {
  test('becomes a principal that does not hold it, and its use is noted', async () => {
    const principal = await authenticator.authenticate(key, 'manage');
    expect(principal).toMatchObject({ kind: 'api-key', id: 'k-1', scope: 'full' });
    expect(JSON.stringify(principal)).not.toContain(key);
    expect(uses).toEqual([['k-1', clock.now()]]);
  });

  test('that is known is answered at once', async () => {
    await authenticator.authenticate(key, 'manage');
    expect(authenticator.authenticate(key, 'manage')).not.toBeInstanceOf(Promise);
    expect(reads).toEqual([hashCredential(key)]);
  });

  test('that is unknown, revoked or expired gets one and the same answer, and its use is not noted', async () => {
    const answers = [];
    for (const found of [null, { ...state, revokedAt: 1 }, { ...state, expiresAt: clock.now() }]) {
      cache.clear();
      stored = found;
      const { code, detail, members } = await refusal(key);
      answers.push(JSON.stringify({ code, detail, members }));
    }
    expect(new Set(answers)).toEqual(new Set([JSON.stringify({ code: 'INVALID_API_KEY' })]));
    expect(uses).toEqual([]);
  });

  test('ends with its expiry though its state is cached', async () => {
    stored = { ...state, expiresAt: clock.now() + 1_000 };
    await authenticator.authenticate(key, 'manage');
    clock.advance(999);
    await authenticator.authenticate(key, 'manage');
    clock.advance(1);
    expect((await refusal(key)).code).toBe('INVALID_API_KEY');
  });

  test('of another form is marked so, that no database is asked for it', async () => {
    stored = null;
    for (const text of ['lk_', 'lk_7', key.toUpperCase(), `${key}0`, 'bootstrap']) {
      reads = [];
      expect((await refusal(text)).code).toBe('INVALID_API_KEY');
      expect(reads).toEqual([`?${hashCredential(text)}`]);
    }
  });

  test('whose scope is too small is identified and not admitted', async () => {
    stored = { ...state, scope: 'upload' };
    expect(await authenticator.identify(key, 'manage')).toMatchObject({ scope: 'upload' });
    expect((await refusal(key)).code).toBe('INSUFFICIENT_SCOPE');
  });

  test('that cannot be checked is neither yes nor no, whatever went wrong', async () => {
    for (const fault of [new AppError('DEPENDENCY_UNAVAILABLE'), new Error('lost')]) {
      stored = fault;
      expect((await refusal(key)).code).toBe('DEPENDENCY_UNAVAILABLE');
    }
    stored = state;
    expect(await authenticator.authenticate(key, 'manage')).toMatchObject({ id: 'k-1' });
  });

  test('that a change overtakes while it is read is read again', async () => {
    const reading = authenticator.authenticate(key, 'manage');
    stored = { ...state, revokedAt: 1 };
    cache.invalidate(hashCredential(key));
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    expect(reads).toHaveLength(2);
  });
});

describe('other credentials', () => {
  test('none at all is 401 UNAUTHENTICATED, unless viewers may be anonymous', async () => {
    expect((await refusal(null, 'keys')).code).toBe('UNAUTHENTICATED');
    authenticator = create(true);
    expect(await authenticator.authenticate(null, 'keys')).toEqual({ kind: 'anonymous', id: null });
    expect((await refusal(null)).code).toBe('UNAUTHENTICATED');
  });

  test('a token where none is taken is refused, and so is a text on a viewer route that is neither', async () => {
    stored = null;
    expect((await refusal('eyJ.eyJ.abc', 'keys')).code).toBe('INVALID_TOKEN');
    expect((await refusal('garbage', 'keys')).code).toBe('INVALID_TOKEN');
    expect((await refusal('lk_garbage', 'keys')).code).toBe('INVALID_API_KEY');
  });
});
