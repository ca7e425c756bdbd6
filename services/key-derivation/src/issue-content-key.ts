import { type Authority, settleDecision } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import { toRefusalError } from '@latchkey/shared/contracts';
import type { AnyMasterKey } from '@latchkey/shared/derivation';
import { AppError } from '@latchkey/shared/errors';
import type { SessionUses } from '@latchkey/shared/internal';
import type { ContentKeyCache } from './content-key-cache.ts';
import { type Decision, decideKeyRequest, type KeyRules } from './decide-key-request.ts';
import { ImportedKeyUnreadable } from './imported-key-unreadable.ts';
import type { KeyRequest } from './key-request.ts';
import { MasterKeyMissing } from './master-key-missing.ts';
import type { MasterKeyRing } from './master-key-ring.ts';
import type { KeyPace } from './pace/key-pace.ts';
import { takePaced } from './pace/take-paced.ts';

export interface ContentKeyIssuer {
  /**
   * Decides, and derives or unwraps.
   *
   * @returns 16 bytes: at once if every state is known, which is the usual case
   * @throws AppError with the code of the decision; KEY_PACE_EXCEEDED; DEPENDENCY_UNAVAILABLE if a state cannot be known
   */
  issue(request: KeyRequest): Buffer | Promise<Buffer>;
}

export interface ContentKeyIssuerOptions {
  authority: Authority;
  rules: KeyRules;
  masterKeys: MasterKeyRing;
  pace: Pick<KeyPace, 'take'>;
  clock: Clock;
  keys: ContentKeyCache;
  /** A key was served by a session. */
  noteUse: SessionUses['noteUse'];
}

/** A decision that needs no further state. */
type Settled = Exclude<Decision, { kind: 'read' }>;
type Served = Extract<Decision, { kind: 'serve' }>;

/** A key that was found with a wait, and the decision by which it was looked for. */
interface FoundKey {
  decision: Served;
  contentKey: Buffer;
}

export function createContentKeyIssuer(options: ContentKeyIssuerOptions): ContentKeyIssuer {
  const { masterKeys, pace, clock, keys, noteUse } = options;
  const decide = createDecider(options);

  function assertServed(decision: Settled): Served {
    if (decision.kind === 'refuse') throw toRefusalError(decision, clock.now());
    return decision;
  }

  function findMasterKey({ keyVersion }: Served): AnyMasterKey {
    const masterKey = masterKeys.find(keyVersion);
    if (!masterKey) throw new MasterKeyMissing();
    return masterKey;
  }

  /** @param found the key of an earlier decision, which is this one's unless the key was changed meanwhile */
  function settle(request: KeyRequest, settled: Settled, found: FoundKey | null): Buffer | Promise<Buffer> {
    const decision = assertServed(settled);
    const masterKey = findMasterKey(decision);
    const contentKey =
      found && isSameKey(found.decision, decision)
        ? found.contentKey
        : keys.find(masterKey, request, decision.wrappedKey);
    if (!contentKey) return settleWithKey(request, decision, masterKey);
    const waitMs = takePaced(pace, request, decision);
    if (typeof waitMs !== 'number') return settleLater(request, waitMs, { decision, contentKey });
    if (waitMs > 0) throw paceExceeded(waitMs);
    note(request, decision);
    return contentKey;
  }

  function note({ principal }: KeyRequest, decision: Settled): void {
    if (decision.kind === 'serve' && decision.session && principal.kind === 'session')
      noteUse(principal.id, decision.session, clock.now());
  }

  /** A revocation may have come while the provider of the master key was asked, so everything is decided again. */
  async function settleWithKey(
    request: KeyRequest,
    decision: Served,
    masterKey: AnyMasterKey,
  ): Promise<Buffer> {
    const contentKey = await keys.load(masterKey, request, decision.wrappedKey);
    if (!contentKey) throw new ImportedKeyUnreadable(request.contentId);
    return settle(request, await decide(request), { decision, contentKey });
  }

  /** As well while another process was asked for the pace. */
  async function settleLater(request: KeyRequest, taking: Promise<number>, found: FoundKey): Promise<Buffer> {
    const waitMs = await taking;
    if (waitMs > 0) throw paceExceeded(waitMs);
    const decision = assertServed(await decide(request));
    const contentKey = isSameKey(found.decision, decision)
      ? found.contentKey
      : keys.find(findMasterKey(decision), request, decision.wrappedKey);
    // The key was changed in this instant, and the new one takes a wait. The next request gets it.
    if (!contentKey) throw new AppError('DEPENDENCY_UNAVAILABLE');
    note(request, decision);
    return contentKey;
  }

  return {
    issue(request) {
      const decision = decide(request);
      return decision instanceof Promise
        ? decision.then((settled) => settle(request, settled, null))
        : settle(request, decision, null);
    },
  };
}

/** Decides by what is known, or reads what is not known first. */
function createDecider({
  authority,
  rules,
  clock,
}: Pick<ContentKeyIssuerOptions, 'authority' | 'rules' | 'clock'>): (
  request: KeyRequest,
) => Settled | Promise<Settled> {
  return (request) => {
    const leaseLoads = authority.leases.loadsBegun;
    const decide = () => decideKeyRequest(request, authority, rules, clock.now(), leaseLoads);
    const decision = decide();
    return decision.kind === 'read' ? settleDecision(decision, decide, { authority, clock }) : decision;
  };
}

function isSameKey(one: Served, other: Served): boolean {
  return one.keyVersion === other.keyVersion && one.wrappedKey === other.wrappedKey;
}

function paceExceeded(waitMs: number): AppError {
  return new AppError('KEY_PACE_EXCEEDED', { retryAfterSeconds: secondsOf(waitMs) });
}

/** For `Retry-After`: whole seconds, and at least one. */
function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
