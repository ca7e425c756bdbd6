import {
  contentKeyInfo,
  deriveContentKey,
  type MasterKey,
  unwrapContentKey,
} from '@latchkey/shared/derivation';
import type { KeyRequest } from './key-request.ts';

/**
 * Content keys that are kept: the present epochs of a thousand channels, or all of some films. Each takes some 250 bytes. Deriving one takes
 * 3 µs, and all viewers of a live channel ask for the same one within a few seconds.
 */
const keysKept = 4_096;

/** Derives content keys or unwraps imported ones, and keeps those that were asked for last. */
export interface ContentKeyCache {
  /**
   * @param wrappedKey the imported key, which takes the place of the derived one; null without one
   * @returns 16 bytes, which the caller must not change; null if the imported key cannot be opened with this master key
   */
  find(
    masterKey: MasterKey,
    key: Pick<KeyRequest, 'contentId' | 'epoch' | 'kid'>,
    wrappedKey: string | null,
  ): Buffer | null;
}

/**
 * A key is a pure function of its name or its wrapped form, and of the master key and its salt, so it never becomes wrong. The keys of a version go with
 * the version's object. The process holds the master key itself, so the kept keys reveal nothing more.
 */
export function createContentKeyCache(most = keysKept): ContentKeyCache {
  const versions = new WeakMap<MasterKey, Map<string, Buffer>>();

  function keysOf(masterKey: MasterKey): Map<string, Buffer> {
    const known = versions.get(masterKey);
    if (known) return known;
    const keys = new Map<string, Buffer>();
    versions.set(masterKey, keys);
    return keys;
  }

  return {
    find(masterKey, { contentId, epoch, kid }, wrappedKey) {
      const keys = keysOf(masterKey);
      // No content id begins with a slash.
      const name = wrappedKey === null ? contentKeyInfo(contentId, epoch, kid) : `/${wrappedKey}`;
      const kept = keys.get(name);
      if (kept) return kept;
      const key =
        wrappedKey === null
          ? deriveContentKey(masterKey, contentId, epoch, kid)
          : unwrapContentKey(masterKey, wrappedKey);
      if (key === null) return null;
      // The oldest goes first. A key in use comes back by the next request for it.
      if (keys.size >= most) for (const oldest of keys.keys()) if (keys.delete(oldest)) break;
      keys.set(name, key);
      return key;
    },
  };
}
