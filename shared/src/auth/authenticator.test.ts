import { beforeEach, describe, expect, test } from 'vitest';
import { AuthorityCache } from '../authority/index.ts';
import type { ApiKeyState } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { assertScope } from './access.ts';
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
    assertScope(await authenticator.identify(credential, access), access);
  } catch (error) {
    return error instanceof AppError ? error : Promise.reject(error);
  }
  throw new Error('it was accepted');
};

test('an API key is its prefix and 64 hex digits, and lists show its first 11 characters', () => {
  expect(key).toBe(`lk_${'07'.repeat(32)}`);
  expect(keyPrefixOf(key)).toBe('lk_07070707');
  expect(hashCredential('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

describe('an API key', () => {
  test('an API key becomes a principal that does not hold the key, and its use is noted', async () => {
    const principal = await authenticator.identify(key, 'manage');
    expect(principal).toMatchObject({ kind: 'api-key', id: 'k-1', scope: 'full' });
    expect(JSON.stringify(principal)).not.toContain(key);
    expect(uses).toEqual([['k-1', clock.now()]]);
  });

  test('a cached API key is accepted without waiting', async () => {
    await authenticator.identify(key, 'manage');
    expect(authenticator.identify(key, 'manage')).not.toBeInstanceOf(Promise);
    expect(reads).toEqual([hashCredential(key)]);
  });

  test('a limited API key becomes a principal with its scope and its contents', async () => {
    const namesOf = async (contents: string[]) => {
      cache.clear();
      stored = { ...state, scope: 'limited-full', contents };
      const principal = await authenticator.identify(key, 'manage');
      if (principal.kind !== 'api-key') throw new Error('it is another principal');
      expect(principal.scope).toBe('full');
      return ['acme-1', 'film', 'films'].filter((id) => principal.contents?.has(id));
    };
    expect(await namesOf(['acme-*', 'film'])).toEqual(['acme-1', 'film']);
    expect(await namesOf([])).toEqual([]);
    expect(await namesOf(['*'])).toHaveLength(3);
  });

  test('an unknown, revoked or expired API key gets the same answer, and its use is not noted', async () => {
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

  test('an API key is refused from its expiry on although its state is cached', async () => {
    stored = { ...state, expiresAt: clock.now() + 1_000 };
    await authenticator.identify(key, 'manage');
    clock.advance(999);
    await authenticator.identify(key, 'manage');
    clock.advance(1);
    expect((await refusal(key)).code).toBe('INVALID_API_KEY');
  });

  test('an API key of another form is marked, so that no database is asked for it', async () => {
    stored = null;
    for (const text of ['lk_', 'lk_7', key.toUpperCase(), `${key}0`, 'bootstrap']) {
      reads = [];
      expect((await refusal(text)).code).toBe('INVALID_API_KEY');
      expect(reads).toEqual([`?${hashCredential(text)}`]);
    }
  });

  test('an API key that cannot be checked gets 503, whatever failed', async () => {
    for (const fault of [new AppError('DEPENDENCY_UNAVAILABLE'), new Error('lost')]) {
      stored = fault;
      expect((await refusal(key)).code).toBe('DEPENDENCY_UNAVAILABLE');
    }
    stored = state;
    expect(await authenticator.identify(key, 'manage')).toMatchObject({ id: 'k-1' });
  });

  test('an API key is read again where a change names it during the read', async () => {
    const reading = authenticator.identify(key, 'manage');
    stored = { ...state, revokedAt: 1 };
    cache.invalidate(hashCredential(key));
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    expect(reads).toHaveLength(2);
  });
});

describe('other credentials', () => {
  test('a token is refused where tokens are not configured, and so is a credential that is neither token nor key', async () => {
    stored = null;
    expect((await refusal('eyJ.eyJ.abc', 'keys')).code).toBe('INVALID_TOKEN');
    expect((await refusal('garbage', 'keys')).code).toBe('INVALID_TOKEN');
    expect((await refusal('lk_garbage', 'keys')).code).toBe('INVALID_API_KEY');
  });
});
