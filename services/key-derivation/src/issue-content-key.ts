import { type Authority, settleDecision } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import { toRefusalError } from '@latchkey/shared/contracts';
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
  pace: KeyPace;
  clock: Clock;
  keys: ContentKeyCache;
  /** A key was served by a session. */
  noteUse: SessionUses['noteUse'];
}

/** A decision that needs no further state. */
type Settled = Exclude<Decision, { kind: 'read' }>;

export function createContentKeyIssuer(options: ContentKeyIssuerOptions): ContentKeyIssuer {
  const { authority, rules, masterKeys, pace, clock, keys, noteUse } = options;

  const decide = (request: KeyRequest, leaseLoads: number) =>
    decideKeyRequest(request, authority, rules, clock.now(), leaseLoads);

  function findKey(request: KeyRequest, decision: Settled): Buffer {
    if (decision.kind === 'refuse') throw toRefusalError(decision, clock.now());
    const masterKey = masterKeys.find(decision.keyVersion);
    if (!masterKey) throw new MasterKeyMissing();
    const key = keys.find(masterKey, request, decision.wrappedKey);
    if (!key) throw new ImportedKeyUnreadable(request.contentId);
    return key;
  }

  function settle(request: KeyRequest, decision: Settled): Buffer | Promise<Buffer> {
    const contentKey = findKey(request, decision);
    const waitMs = takePaced(pace, request, decision);
    if (typeof waitMs !== 'number') return settleLater(request, waitMs);
    if (waitMs > 0) throw paceExceeded(waitMs);
    note(request, decision);
    return contentKey;
  }

  function note({ principal }: KeyRequest, decision: Settled): void {
    if (decision.kind === 'serve' && decision.session && principal.kind === 'session')
      noteUse(principal.id, decision.session, clock.now());
  }

  /** A revocation may have come while another process was asked for the pace, so everything is decided again. */
  async function settleLater(request: KeyRequest, taking: Promise<number>): Promise<Buffer> {
    const waitMs = await taking;
    if (waitMs > 0) throw paceExceeded(waitMs);
    const leaseLoads = authority.leases.loadsBegun;
    const decision = await readUntilSettled(request, decide(request, leaseLoads), leaseLoads);
    const contentKey = findKey(request, decision);
    note(request, decision);
    return contentKey;
  }

  const readUntilSettled = (request: KeyRequest, first: Decision, leaseLoads: number): Promise<Settled> =>
    settleDecision(first, () => decide(request, leaseLoads), { authority, clock });

  return {
    issue(request) {
      const leaseLoads = authority.leases.loadsBegun;
      const decision = decide(request, leaseLoads);
      return decision.kind === 'read'
        ? readUntilSettled(request, decision, leaseLoads).then((settled) => settle(request, settled))
        : settle(request, decision);
    },
  };
}

function paceExceeded(waitMs: number): AppError {
  return new AppError('KEY_PACE_EXCEEDED', { retryAfterSeconds: secondsOf(waitMs) });
}

/** For `Retry-After`: whole seconds, and at least one. */
function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
