import { isApiKeyUsable } from '@latchkey/shared/auth';
import {
  type Authority,
  decideBySession,
  importedKeyName,
  type KnownStates,
  markKey,
  mayHaveBeenRenewed,
  type UnknownState,
} from '@latchkey/shared/authority';
import type { ContentState, EpochRefusal, LeaseState, SequencePeriods } from '@latchkey/shared/contracts';
import {
  findEpochRefusal,
  findMarkRefusal,
  isEntitled,
  isUuid,
  viewerIdOf,
} from '@latchkey/shared/contracts';
import type { ErrorCode } from '@latchkey/shared/errors';
import type { KeyRequest } from './key-request.ts';

export interface KeyRules {
  contentMode: 'registered' | 'any';
  leaseMode: 'off' | 'optional' | 'required';
}

export type Decision =
  | {
      readonly kind: 'serve';
      readonly keyVersion: number;
      /** The imported key, wrapped, which is served in place of the derived one; null without one. */
      readonly wrappedKey: string | null;
      /** The viewer of the token or of the session; null for an API key. */
      readonly viewerId: string | null;
      /** The state of the session by which the key is served; null for another credential. */
      readonly session: LeaseState | null;
      /** The periods whose pace holds for this request; null without one. */
      readonly paced: SequencePeriods | null;
    }
  | { readonly kind: 'refuse'; readonly code: ErrorCode; readonly notYet?: EpochRefusal['notYet'] }
  | { readonly kind: 'read'; readonly unknown: UnknownState };

/** Content that was never registered keeps the first version, whatever is added later: its keys must not change. */
const unregisteredKeyVersion = 1;

/**
 * The order of `docs/reference/contract.md#order-of-decisions`, after the credential and its scope: the content claim, the content,
 * then the named lease or, without one, the marks and the lease mode, and last the key periods of the content. For a session
 * `decideBySession` takes the place of the first three. What is served is then the imported key, if there is one.
 *
 * It is a pure function of what is known at this instant. What is not known is named, to be read; then everything is
 * decided again from the beginning, so that no answer mixes states of different instants.
 *
 * @param now wall clock, milliseconds since 1970
 * @param leaseLoadsAtStart `authority.leases.loadsBegun` when the request came, to read an expired lease once more
 */
export function decideKeyRequest(
  request: KeyRequest,
  authority: KnownStates,
  rules: KeyRules,
  now: number,
  leaseLoadsAtStart: number,
): Decision {
  const { principal, contentId, leaseId } = request;
  if (principal.kind === 'session') {
    const isServed = (state: ContentState | null) => keyVersionOf(state, rules) !== null;
    const asked = { session: principal.session, contentId, leaseMode: rules.leaseMode, isServed };
    const decision = decideBySession(asked, authority, now, leaseLoadsAtStart);
    if (decision.kind !== 'open') return decision;
    const { content, lease } = decision;
    return decideByPeriods(
      request,
      { content, viewerId: lease.viewerId, session: lease },
      authority,
      rules,
      now,
    );
  }
  if (principal.kind === 'api-key') {
    const known = authority.apiKeys.peek(principal.cacheKey);
    if (!known) return read('apiKeys', principal.cacheKey);
    // It was usable when the request was authenticated, and may have been revoked while something was read.
    if (!known.value || !isApiKeyUsable(known.value, now)) return refuse('INVALID_API_KEY');
  }
  if (!isEntitled(principal, contentId)) return refuse('CONTENT_NOT_ENTITLED');

  const content = authority.contents.peek(contentId);
  if (!content) return read('contents', contentId);
  if (keyVersionOf(content.value, rules) === null) return refuse('CONTENT_NOT_FOUND');

  const viewerId = viewerIdOf(principal);
  if (viewerId !== null && rules.leaseMode !== 'off') {
    const objection =
      leaseId === null
        ? decideByMarks(request, viewerId, authority, rules, now)
        : decideByLease(leaseId, viewerId, contentId, authority, now, leaseLoadsAtStart);
    if (objection) return objection;
  }
  return decideByPeriods(request, { content: content.value, viewerId, session: null }, authority, rules, now);
}

/** A request that may have keys of the content. */
interface Allowed {
  content: ContentState | null;
  viewerId: string | null;
  session: LeaseState | null;
}

/** The last step. */
function decideByPeriods(
  request: KeyRequest,
  { content, viewerId, session }: Allowed,
  authority: KnownStates,
  rules: KeyRules,
  now: number,
): Decision {
  const keyVersion = keyVersionOf(content, rules);
  if (keyVersion === null) return refuse('CONTENT_NOT_FOUND');
  const periods = content?.keyPeriods ?? null;
  const refusal = periods && findEpochRefusal(periods, request.epoch, now);
  if (refusal) return { kind: 'refuse', ...refusal };
  const importedKey = nameImportedKey(request, content);
  const imported = importedKey === null ? noImportedKey : authority.importedKeys.peek(importedKey);
  if (!imported) return read('importedKeys', importedKey ?? '');
  const paced = viewerId !== null && periods?.mode === 'sequence' && periods.pace ? periods : null;
  return { kind: 'serve', keyVersion, wrappedKey: imported.value, viewerId, session, paced };
}

const noImportedKey = { value: null };

/** @returns null where the content has no imported key of the requested kind: keys that packagers name are always derived */
function nameImportedKey({ contentId, epoch, kid }: KeyRequest, content: ContentState | null): string | null {
  const revision = content?.importedKeysRevision;
  if (revision === undefined || kid !== undefined) return null;
  return importedKeyName(contentId, epoch, revision);
}

function keyVersionOf(content: ContentState | null, rules: KeyRules): number | null {
  if (content) return content.status === 'active' ? content.keyVersion : null;
  return rules.contentMode === 'any' ? unregisteredKeyVersion : null;
}

function decideByLease(
  leaseId: string,
  viewerId: string,
  contentId: string,
  authority: KnownStates,
  now: number,
  leaseLoadsAtStart: number,
): Decision | null {
  // A text that cannot be the id of a lease is not looked up.
  if (!isUuid(leaseId)) return refuse('LEASE_UNKNOWN');
  const known = authority.leases.peek(leaseId);
  if (!known) return read('leases', leaseId);
  const lease = known.value;
  if (!lease || lease.viewerId !== viewerId || lease.contentId !== contentId) return refuse('LEASE_UNKNOWN');
  if (lease.revokedAt !== null) return refuse('LEASE_REVOKED');
  if (lease.expiresAt > now) return null;
  return mayHaveBeenRenewed(known, now, leaseLoadsAtStart)
    ? read('leases', leaseId)
    : refuse('LEASE_EXPIRED');
}

function decideByMarks(
  { principal, contentId }: KeyRequest,
  viewerId: string,
  authority: KnownStates,
  rules: KeyRules,
  now: number,
): Decision | null {
  const key = markKey(viewerId, contentId);
  const mark = authority.marks.peek(key);
  if (!mark) return read('marks', key);
  const refusal = findMarkRefusal(principal, mark.value, now);
  if (refusal) return refuse(refusal);
  return rules.leaseMode === 'required' ? refuse('LEASE_REQUIRED') : null;
}

function read(cache: keyof Authority, key: string): Decision {
  return { kind: 'read', unknown: { cache, key } };
}

function refuse(code: ErrorCode): Decision {
  return { kind: 'refuse', code };
}
