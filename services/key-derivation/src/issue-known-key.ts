import type { Authority, KnownStates } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import type { SessionUses } from '@latchkey/shared/internal';
import type { ContentKeyCache } from './content-key-cache.ts';
import { decideKeyRequest, type KeyRules } from './decide-key-request.ts';
import type { KeyRequest } from './key-request.ts';
import type { MasterKeyRing } from './master-key-ring.ts';
import type { LocalPace } from './pace/local-pace.ts';
import { takePaced } from './pace/take-paced.ts';

interface KnownKeyOptions {
  authority: Authority;
  rules: KeyRules;
  masterKeys: Pick<MasterKeyRing, 'holds'>;
  keys: ContentKeyCache;
  clock: Clock;
  /** The pace of this process; null where replicas share one, which needs a wait. */
  pace: LocalPace | null;
  /** Counts a look-up of a state. */
  onLookup: (cache: keyof Authority, hit: boolean) => void;
  /** A key was served by a session. */
  noteUse: SessionUses['noteUse'];
}

/**
 * The key, where every state is known and the key is served: the same decision as `ContentKeyIssuer`'s.
 *
 * @returns 16 bytes, which the caller must not change. Null where only a `ContentKeyIssuer` can answer: the call then had no effect
 */
export type KnownKeyIssuer = (request: KeyRequest) => Buffer | null;

export function createKnownKeyIssuer(options: KnownKeyOptions): KnownKeyIssuer {
  const { authority, rules, masterKeys, keys, pace, clock, onLookup, noteUse } = options;
  const { states, seen } = createGlances(authority);
  return (request) => {
    seen.length = 0;
    const decision = decideKeyRequest(request, states, rules, clock.now(), authority.leases.loadsBegun);
    if (decision.kind !== 'serve') return null;
    const masterKey = masterKeys.holds(decision.keyVersion);
    const key = masterKey && keys.find(masterKey, request, decision.wrappedKey);
    if (!key) return null;
    if (decision.paced !== null) {
      // A bucket that does not give the key stays as it is, so the router's answer is the same.
      const waitMs = pace && takePaced(pace, request, decision);
      if (waitMs !== 0) return null;
    }
    for (const cache of seen) onLookup(cache, true);
    const { session } = decision;
    if (session && request.principal.kind === 'session') noteUse(request.principal.id, session, clock.now());
    return key;
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
    importedKeys: of('importedKeys'),
    leases: of('leases'),
    marks: of('marks'),
  };
  return { states, seen };
}
