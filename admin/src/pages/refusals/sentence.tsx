import type { ReactNode } from 'react';
import type { AuditRecord } from '../../api/schema.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { phrase } from '../../components/phrase.ts';
import { RelativeTime } from '../../components/times.tsx';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { nameOfActorKind } from '../audit/actions.ts';
import { describeContents } from './decision-steps.tsx';
import type { Explained } from './explain-key.ts';
import type { Cause } from './find-cause.ts';
import { factOf, type KeyDecision, wordsOf } from './step-words.ts';

/** The answer in one sentence. */
export function Sentence({ explained: { decision, viewerId, refusal, cause } }: { explained: Explained }) {
  const who = viewerId === null ? 'The player' : <OutsideText text={viewerId} />;
  const refused =
    refusal && phrase`Refused ${<RelativeTime at={refusal.at} isFocusable />} with ${refusal.code}`;
  if (!decision) {
    if (cause.block) return phrase`${who} gets no key: ${<Act cause={cause}>it was blocked</Act>}.`;
    if (refused && viewerId === null) return phrase`${refused}, and whose request it was is not known.`;
    if (refused) return phrase`${refused}: a request for a lease.`;
    const asked = viewerId === null ? 'The lease of this session' : who;
    return phrase`${asked} is not known: no lease and none of the latest refusals has this ID.`;
  }
  const { outcome, code, contentId } = decision;
  if (outcome === 'unknown' && code === null)
    return phrase`The token of ${who} is accepted. It was not refused lately and has no lease: name a content.`;
  const content = contentId !== '' && phrase` of ${<OutsideText text={contentId} />}`;
  if (outcome === 'served')
    return phrase`${refused && phrase`${refused}. `}${who} gets the key${content} now.`;
  const reason = <Act cause={cause}>{describeReason(decision, refusal, cause)}</Act>;
  return phrase`${who} gets no key${content}: ${reason}. ${<code>{code}</code>}`;
}

/** The reason of a refusal, as the end of a sentence. */
function describeReason(decision: KeyDecision, refusal: Explained['refusal'], cause: Cause): ReactNode {
  const { code, outcome, steps } = decision;
  const step = `the step “${wordsOf(steps.find(({ answer }) => answer === outcome)?.step ?? '').name}”`;
  if (outcome === 'unknown') return `${step} needs a state that cannot be read`;
  if (cause.block) return 'it was blocked';
  switch (code) {
    case 'INVALID_TOKEN':
    case 'INVALID_SESSION': {
      const refused = `its ${code === 'INVALID_TOKEN' ? 'token' : 'session'} is not accepted`;
      const detail = factOf(decision, 'credential', 'detail');
      // A sentence of the server has its own full stop, and may be long.
      return detail === null
        ? refused
        : phrase`${refused} (${<OutsideText text={detail.replace(/\.$/, '')} />})`;
    }
    case 'CONTENT_NOT_ENTITLED':
      return refusal?.contentIds
        ? `its token opens ${describeContents(refusal.contentIds)} alone`
        : 'its token does not open this content';
    case 'CONTENT_NOT_FOUND':
      return factOf(decision, 'content', 'status') === 'disabled'
        ? 'the content was disabled'
        : 'no such content is registered';
    case 'LEASE_UNKNOWN':
      return steps.find(({ step: name }) => name === 'lease')?.facts.isKnown === true
        ? 'the lease that it names belongs to another viewer or content'
        : 'the lease that it names does not exist';
    case 'LEASE_REVOKED':
      return revocations[cause.lease?.revokedBy ?? 'management'];
    default:
      return reasons[code ?? ''] ?? `${step} refuses it`;
  }
}

const reasons: Readonly<Record<string, string>> = {
  VIEWER_BLOCKED: 'it was blocked',
  TOKEN_REVOKED: 'its tokens were revoked',
  LEASE_EXPIRED: 'its lease was not renewed, and ended',
  LEASE_REQUIRED: 'its request names no lease',
  EPOCH_NOT_FOUND: 'the content has no such epoch',
  EPOCH_NOT_YET: 'the epoch begins',
  EPOCH_PAST: 'the epoch is over',
  KEY_PACE_EXCEEDED: 'it requests keys faster than it can play',
  DEPENDENCY_UNAVAILABLE: 'the server lacks the master key of this content',
};

const revocations = {
  management: 'its lease was revoked',
  viewer: 'its player returned the lease',
  limit: 'a newer lease took the place of its lease',
};

/** "it was blocked 3 minutes ago by API key owner, reason chargeback", as far as it is known. */
function Act({ cause: { at, reason, record }, children }: { cause: Cause; children: ReactNode }) {
  return (
    <>
      {children}
      {at !== null && phrase` ${<RelativeTime at={at} isFocusable />}`}
      {record && phrase` by ${<Actor record={record} />}`}
      {reason !== null && phrase`, reason ${<OutsideText text={reason} />}`}
    </>
  );
}

function Actor({ record: { actor, person } }: { record: AuditRecord }) {
  const isKey = actor.kind === 'api-key';
  const names = useApiKeyNames(isKey);
  const id = isKey ? (names?.get(actor.id ?? '')?.name ?? actor.id) : null;
  return (
    <>
      {isKey ? 'API key' : nameOfActorKind(actor.kind).toLowerCase()}
      {id !== null && phrase` ${<OutsideText text={id} />}`}
      {person !== null && phrase`, ${<OutsideText text={person} />}`}
    </>
  );
}
