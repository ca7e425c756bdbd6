import { type ContentKeySource, keyPath } from '../encrypt/content-key-source.ts';

/**
 * A source that asks another one for each key once, however often it is asked itself: keys are counted and limited by the
 * server, and the one that a fingerprint is made of is the one that encrypts. It lives as long as one command.
 */
export function askOnce(source: ContentKeySource): ContentKeySource {
  const prepared = new Set<string>();
  const keys = new Map<string, Uint8Array>();
  return {
    async prepare(contentId, signal) {
      if (prepared.has(contentId)) return;
      await source.prepare(contentId, signal);
      prepared.add(contentId);
    },
    async get(name, signal) {
      const known = keys.get(keyPath(name));
      if (known) return known;
      const key = await source.get(name, signal);
      keys.set(keyPath(name), key);
      return key;
    },
  };
}
