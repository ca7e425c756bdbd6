import { Flex } from '@mantine/core';
import { Notice } from '../../components/notice.tsx';
import { BlockEnd } from '../viewers/viewer-block.tsx';
import { DecisionSteps } from './decision-steps.tsx';
import type { Explained } from './explain-key.ts';
import { Remedies, type RemediesProps } from './remedies.tsx';
import { Sentence } from './sentence.tsx';
import type { KeyDecision } from './step-words.ts';

/** The answer in one sentence, the remedies, and below them how it was decided. */
export function Answer({ explained, onChanged }: RemediesProps) {
  const { decision, isAssumed, refusal, cause } = explained;
  const outcome = decision?.outcome ?? (cause.block ? 'refused' : 'unknown');
  const kind = { served: 'good', refused: 'bad', unknown: 'warning' } as const;
  const { block } = cause;
  const next = block ? <BlockEnd {...block} /> : decision && describeNext(decision, explained);
  return (
    <Flex direction="column" gap="1rem" mt="1.25rem">
      <Notice kind={kind[outcome]} role="status" title={<Sentence explained={explained} />}>
        {next && <p>{next}</p>}
        <Remedies explained={explained} onChanged={onChanged} />
      </Notice>
      {decision && (
        <details>
          <summary>How it was decided</summary>
          <DecisionSteps {...{ decision, isAssumed, refusal }} />
        </details>
      )}
    </Flex>
  );
}

/** Advice by code, for codes whose sentence does not imply it. */
const advice: Readonly<Record<string, string>> = {
  INVALID_TOKEN: 'Your application has to issue a token that this server accepts.',
  LEASE_REVOKED: 'With a token that is issued after the revocation, the player gets a new lease.',
  LEASE_EXPIRED: 'The player has to request a new lease.',
  LEASE_UNKNOWN: 'The player has to request a lease of its own.',
  LEASE_REQUIRED: 'LEASE_MODE=required: the player has to send X-Lease-Id.',
};

/** The same for a refusal of the past whose reason is not a state of the server. */
const pastAdvice: Readonly<Record<string, string>> = {
  LEASE_LIMIT_REACHED: 'LEASE_MAX_PER_VIEWER: the viewer had as many leases as it may have.',
  RATE_LIMITED: 'RATE_LIMIT=on: too many requests. The player has to wait.',
};

function describeNext(
  { outcome, code, withNewToken }: KeyDecision,
  { isAssumed, refusal }: Explained,
): string | null {
  if (outcome === 'served') {
    const past = refusal && pastAdvice[refusal.code];
    if (past) return past;
    if (isAssumed)
      return 'So it is for a token that is issued now and opens everything. If the player still gets no key, paste its token.';
    return refusal && 'What refused it has changed since.';
  }
  if (outcome !== 'refused' || code === null) return null;
  if (advice[code]) return advice[code];
  // The steps that another token of the viewer can pass.
  if (!withNewToken || !['CONTENT_NOT_ENTITLED', 'TOKEN_REVOKED'].includes(code)) return null;
  const token = 'A token that is issued now and opens this content';
  if (withNewToken.outcome === 'served') return `${token} would get the key.`;
  return withNewToken.outcome === 'refused'
    ? `${token} would be refused too: ${withNewToken.code}.`
    : `What ${token.toLowerCase()} would get cannot be known now.`;
}
