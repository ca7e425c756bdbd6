import type { Authority } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import { deriveContentKey } from '@latchkey/shared/derivation';
import { AppError } from '@latchkey/shared/errors';
import { type Decision, decideKeyRequest, type KeyRules, type UnknownState } from './decide-key-request.ts';
import type { KeyRequest } from './key-request.ts';
import { MasterKeyMissing } from './master-key-missing.ts';
import type { MasterKeyRing } from './master-key-ring.ts';

export interface ContentKeyIssuer {
  /**
   * Decides and derives.
   *
   * @returns 16 bytes: at once if every state is known, which is the usual case
   * @throws AppError with the code of the decision; DEPENDENCY_UNAVAILABLE if a state cannot be known
   */
  issue(request: KeyRequest): Buffer | Promise<Buffer>;
}

export interface ContentKeyIssuerOptions {
  authority: Authority;
  rules: KeyRules;
  masterKeys: MasterKeyRing;
  clock: Clock;
}

/**
 * Reads for one request. A decision needs three states, an expired lease is read twice, and a change may overtake a read. If changes
 * overtake more reads than that, the server cannot know the states.
 */
const readsAtMost = 12;
/**
 * A request begins no read after this: hls.js waits 8 s for the first byte of a key (its `keyLoadPolicy`). If the owner is
 * slower than `AUTHORITY_MAX_AGE_SECONDS`, every state is too old when it comes, and twelve reads would be a minute.
 */
const readsForMs = 8_000;

export function createContentKeyIssuer(options: ContentKeyIssuerOptions): ContentKeyIssuer {
  const { authority, rules, masterKeys, clock } = options;

  const decide = (request: KeyRequest, leaseLoads: number) =>
    decideKeyRequest(request, authority, rules, clock.now(), leaseLoads);

  function settle(request: KeyRequest, decision: Exclude<Decision, { kind: 'read' }>): Buffer {
    if (decision.kind === 'refuse') throw new AppError(decision.code);
    const masterKey = masterKeys.find(decision.keyVersion);
    if (!masterKey) throw new MasterKeyMissing();
    return deriveContentKey(masterKey, request.contentId, request.epoch);
  }

  async function read({ cache, key }: UnknownState): Promise<void> {
    try {
      await authority[cache].load(key);
    } catch (cause) {
      // A state that could not be checked is neither a yes nor a no, whatever the reason.
      throw cause instanceof AppError ? cause : new AppError('DEPENDENCY_UNAVAILABLE', { cause });
    }
  }

  async function readAndIssue(request: KeyRequest, first: Decision, leaseLoads: number): Promise<Buffer> {
    const startedAtMs = clock.monotonic();
    let decision = first;
    for (let reads = 0; decision.kind === 'read'; reads++) {
      if (reads === readsAtMost) {
        throw new AppError('DEPENDENCY_UNAVAILABLE', { cause: new Error('changes overtook every read') });
      }
      if (clock.monotonic() - startedAtMs >= readsForMs) {
        throw new AppError('DEPENDENCY_UNAVAILABLE', { cause: new Error('the states came too late') });
      }
      await read(decision.unknown);
      decision = decide(request, leaseLoads);
    }
    return settle(request, decision);
  }

  return {
    issue(request) {
      const leaseLoads = authority.leases.loadsBegun;
      const decision = decide(request, leaseLoads);
      return decision.kind === 'read'
        ? readAndIssue(request, decision, leaseLoads)
        : settle(request, decision);
    },
  };
}
