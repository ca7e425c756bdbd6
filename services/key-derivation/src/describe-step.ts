import {
  type ApiKeyState,
  type ContentState,
  currentEpochOf,
  isBlocked,
  isUuid,
  type LeaseState,
  type MarkState,
  markedAtOf,
  opensAtOf,
} from '@latchkey/shared/contracts';
import type { KeyRules } from './decide-key-request.ts';
import type { Fact, StepName } from './decision-steps.ts';
import type { KeyRequest } from './key-request.ts';

/** The states that a decision has looked at. One that is missing was not looked at; null is one that does not exist. */
export interface SeenStates {
  apiKeys?: ApiKeyState | null;
  contents?: ContentState | null;
  importedKeys?: string | null;
  leases?: LeaseState | null;
  marks?: MarkState | null;
}

export interface StepContext {
  request: KeyRequest;
  rules: KeyRules;
  seen: SeenStates;
  /** The keys that the viewer may fetch now, and the keys that come back each second. Null if no pace holds, or an earlier step refuses. */
  bucket: { keysLeft: number; perSecond: number } | null;
  /** Wall clock, milliseconds since 1970. */
  now: number;
}

interface DescribedStep {
  /** Whether the step holds for such a request. */
  holds: boolean;
  facts: Record<string, Fact>;
}

const skipped: DescribedStep = { holds: false, facts: {} };

/** The facts that each step uses. No fact is a credential or a key. */
export const describeStep: Record<StepName, (context: StepContext) => DescribedStep> = {
  credential: ({ request: { principal }, seen }) => ({
    holds: true,
    facts: {
      kind: principal.kind,
      viewerId: principal.kind === 'session' ? (seen.leases?.viewerId ?? null) : principal.id,
      ...(principal.kind === 'viewer' && { issuedNotBeforeAt: principal.issuedNotBefore }),
      ...(principal.kind === 'session' && { leaseId: principal.id }),
    },
  }),
  entitlement({ request: { principal, contentId }, seen }) {
    if (principal.kind === 'session')
      return { holds: true, facts: { contentOfSession: seen.leases?.contentId ?? null } };
    if (principal.kind !== 'viewer' || principal.contents === null) return skipped;
    return { holds: true, facts: { namesContent: principal.contents.has(contentId) } };
  },
  content: ({ rules, seen: { contents } }) => ({
    holds: true,
    facts: {
      isRegistered: contents !== null && contents !== undefined,
      status: contents?.status ?? null,
      keyVersion: contents?.keyVersion ?? null,
      contentMode: rules.contentMode,
    },
  }),
  lease({ request: { principal, leaseId }, rules, seen: { leases } }) {
    const named = principal.kind === 'session' ? principal.id : leaseId;
    if (named === null || rules.leaseMode === 'off') return skipped;
    return { holds: true, facts: { leaseId: isUuid(named) ? named : '***', ...describeLease(leases) } };
  },
  marks({ request, rules, seen: { marks = null }, now }) {
    if (!goesByMarks(request, rules)) return skipped;
    const block = isBlocked(marks, now) ? marks : null;
    return {
      holds: true,
      facts: {
        markedAt: markedAtOf(marks),
        isBlocked: block !== null,
        ...(block && { blockedUntilAt: block.blockedUntil }),
      },
    };
  },
  'lease-mode': ({ request, rules }) => ({
    holds: goesByMarks(request, rules),
    facts: { leaseMode: rules.leaseMode },
  }),
  'key-periods'({ request: { epoch }, seen: { contents }, now }) {
    const periods = contents?.keyPeriods;
    if (!periods) return skipped;
    const facts = { mode: periods.mode, epoch: epoch ?? null };
    if (periods.mode === 'sequence') return { holds: true, facts: { ...facts, count: periods.count } };
    return {
      holds: true,
      facts: {
        ...facts,
        currentEpoch: currentEpochOf(periods, now),
        ahead: periods.ahead,
        behind: periods.behind,
        ...(epoch !== undefined && { opensAt: opensAtOf(periods, epoch) }),
      },
    };
  },
  key: ({ seen: { contents, importedKeys } }) => ({
    holds: true,
    facts: { keyVersion: contents?.keyVersion ?? 1, isImported: typeof importedKeys === 'string' },
  }),
  pace: ({ bucket }) => (bucket ? { holds: true, facts: bucket } : skipped),
};

function goesByMarks({ principal, leaseId }: KeyRequest, { leaseMode }: KeyRules): boolean {
  return principal.kind !== 'session' && leaseId === null && leaseMode !== 'off';
}

/** A lease of another viewer or content is shown too: admins may see every lease, and it is why the request is refused. */
function describeLease(lease: LeaseState | null | undefined): Record<string, Fact> {
  if (!lease) return { isKnown: false };
  const { viewerId, contentId, expiresAt, revokedAt } = lease;
  return { isKnown: true, viewerId, contentId, expiresAt, revokedAt };
}
