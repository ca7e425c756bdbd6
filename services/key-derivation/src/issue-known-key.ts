import type { Authority } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import type { ContentKeyCache } from './content-key-cache.ts';
import { decideKeyRequest, type KeyRules, type KnownStates } from './decide-key-request.ts';
import type { KeyRequest } from './key-request.ts';
import type { MasterKeyRing } from './master-key-ring.ts';

interface KnownKeyOptions {
  authority: Authority;
  rules: KeyRules;
  masterKeys: Pick<MasterKeyRing, 'holds'>;
  keys: ContentKeyCache;
  clock: Clock;
  /** Counts a look-up of a state. */
  onLookup: (cache: keyof Authority, hit: boolean) => void;
}

/**
 * The key, where every state is known, the key is served and no pace counts: the same decision as `ContentKeyIssuer`'s.
 *
 * @returns 16 bytes, which the caller must not change. Null where only a `ContentKeyIssuer` can answer: the call then had no effect
 */
export type KnownKeyIssuer = (request: KeyRequest) => Buffer | null;

export function createKnownKeyIssuer(options: KnownKeyOptions): KnownKeyIssuer {
  const { authority, rules, masterKeys, keys, clock, onLookup } = options;
  const { states, seen } = createGlances(authority);
  return (request) => {
    seen.length = 0;
    const decision = decideKeyRequest(request, states, rules, clock.now(), authority.leases.loadsBegun);
    if (decision.kind !== 'serve' || decision.paced !== null) return null;
    const masterKey = masterKeys.holds(decision.keyVersion);
    if (!masterKey) return null;
    for (const cache of seen) onLookup(cache, true);
    return keys.derive(masterKey, request.contentId, request.epoch);
  };
}

/** The known states, without counting their look-ups: where another decision follows, that one counts them. */
function createGlances(authority: Authority): { states: KnownStates; seen: (keyof Authority)[] } {
  const seen: (keyof Authority)[] = [];
  const of = <Name extends keyof Authority>(cache: Name) => ({
    peek(key: string) {
      seen.push(cache);
      return authority[cache].glance(key) as ReturnType<Authority[Name]['peek']>;
    },
  });
  const states = {
    apiKeys: of('apiKeys'),
    contents: of('contents'),
    leases: of('leases'),
    marks: of('marks'),
  };
  return { states, seen };
}
