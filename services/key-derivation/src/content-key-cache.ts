import {
  type AnyMasterKey,
  contentKeyInfo,
  deriveContentKey,
  deriveWrappingKey,
  findContentKey,
  unwrapContentKey,
} from '@latchkey/shared/derivation';
import { LRUCache } from 'lru-cache';
import type { KeyRequest } from './key-request.ts';

/**
 * Content keys that are kept: the present epochs of a thousand channels, or all of some films. Each takes some 250 bytes. Deriving one takes
 * 3 µs, and all viewers of a live channel ask for the same one within a few seconds.
 */
const keysKept = 4_096;
/** Where another system holds the master key, deriving one takes a call of it. These are 16 MB. */
const custodiedKeysKept = 65_536;
/** The members of a request that determine its content key. */
type NamedKey = Pick<KeyRequest, 'contentId' | 'epoch' | 'kid'>;

/** Derives content keys or unwraps imported ones, and keeps the keys that were requested last. */
export interface ContentKeyCache {
  /**
   * The key, if no wait is needed: always, if this process holds the master key and the key is derived.
   *
   * @param wrappedKey the imported key, which takes the place of the derived one; null without one
   * @returns 16 bytes, which the caller must not change; null if only `load` can tell
   */
  find(masterKey: AnyMasterKey, key: NamedKey, wrappedKey: string | null): Buffer | null;
  /**
   * Same, with a wait. Callers that ask for one key share one call of its provider.
   *
   * @returns null if the imported key cannot be opened with this master key
   * @throws AppError DEPENDENCY_UNAVAILABLE
   */
  load(masterKey: AnyMasterKey, key: NamedKey, wrappedKey: string | null): Promise<Buffer | null>;
}

/** The keys that are kept for one version of the master key. */
class KeptKeys {
  readonly keys: LRUCache<string, Buffer>;
  readonly loading = new Map<string, Promise<Buffer | null>>();
  /** Of imported keys. A failed attempt is not kept. */
  wrappingKey: Promise<Buffer> | null = null;

  constructor(max: number) {
    this.keys = new LRUCache({ max });
  }
}

/**
 * A key is a pure function of its name or its wrapped form, and of the master key and its salt, so it never becomes wrong. The keys of a
 * version go with the version's object. A process that holds the master key reveals nothing more by the kept keys; one that does not
 * reveals those alone.
 */
export function createContentKeyCache({ isCustodied = false, keptMost = keysKept } = {}): ContentKeyCache {
  const max = isCustodied ? custodiedKeysKept : keptMost;
  const versions = new WeakMap<AnyMasterKey, KeptKeys>();

  function keptOf(masterKey: AnyMasterKey): KeptKeys {
    const known = versions.get(masterKey);
    if (known) return known;
    const kept = new KeptKeys(max);
    versions.set(masterKey, kept);
    return kept;
  }

  async function read(
    masterKey: AnyMasterKey,
    { contentId, epoch, kid }: NamedKey,
    wrappedKey: string | null,
  ): Promise<Buffer | null> {
    if (wrappedKey === null) return findContentKey(masterKey, contentId, epoch, kid);
    const kept = keptOf(masterKey);
    kept.wrappingKey ??= deriveWrappingKey(masterKey);
    try {
      return unwrapContentKey(await kept.wrappingKey, wrappedKey);
    } catch (error) {
      kept.wrappingKey = null;
      throw error;
    }
  }

  return {
    find(masterKey, key, wrappedKey) {
      const { keys } = keptOf(masterKey);
      const name = nameOf(key, wrappedKey);
      const known = keys.get(name);
      if (known) return known;
      if (wrappedKey !== null || !('pseudoRandomKey' in masterKey)) return null;
      const derived = deriveContentKey(masterKey, key.contentId, key.epoch, key.kid);
      keys.set(name, derived);
      return derived;
    },
    load(masterKey, key, wrappedKey) {
      const { keys, loading } = keptOf(masterKey);
      const name = nameOf(key, wrappedKey);
      const known = keys.get(name);
      if (known) return Promise.resolve(known);
      const begun = loading.get(name);
      if (begun) return begun;
      const loaded = read(masterKey, key, wrappedKey)
        .then((found) => {
          if (found) keys.set(name, found);
          return found;
        })
        .finally(() => loading.delete(name));
      loading.set(name, loaded);
      return loaded;
    },
  };
}

/** No content id begins with a slash. */
function nameOf({ contentId, epoch, kid }: NamedKey, wrappedKey: string | null): string {
  return wrappedKey === null ? contentKeyInfo(contentId, epoch, kid) : `/${wrappedKey}`;
}
