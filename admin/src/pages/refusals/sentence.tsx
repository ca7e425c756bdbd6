import type { ReactNode } from 'react';
import type { AuditRecord } from '../../api/schema.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { nameOfActorKind } from '../audit/actions.ts';
import { describeContents } from './decision-steps.tsx';
import type { Explained } from './explain-key.ts';
import type { Cause } from './find-cause.ts';
import { type KeyDecision, wordsOf } from './step-words.ts';

/** The answer in one sentence. */
export function Sentence({ explained: { decision, viewerId, refusal, cause } }: { explained: Explained }) {
  const who = viewerId === null ? 'The player' : <OutsideText text={viewerId} />;
  if (!decision) {
    if (cause.block)
      return (
        <>
          {who} gets no key: <Act cause={ofBlock(cause.block)}>it was blocked</Act>.
        </>
      );
    if (refusal)
      return (
        <>
          Refused <RelativeTime at={refusal.at} isFocusable /> with {refusal.code}
          {viewerId === null ? ', and whose request it was is not known.' : ': a request for a lease.'}
        </>
      );
    return (
      <>
        {viewerId === null ? 'The lease of this session' : who} is not known: no lease and none of the latest
        refusals has this ID.
      </>
    );
  }
  const { outcome, code, contentId } = decision;
  if (outcome === 'unknown' && code === null)
    return <>The token of {who} is accepted. It was not refused lately and has no lease: name a content.</>;
  const content = contentId !== '' && (
    <>
      {' '}
      of <OutsideText text={contentId} />
    </>
  );
  if (outcome === 'served')
    return (
      <>
        {refusal && (
          <>
            Refused <RelativeTime at={refusal.at} isFocusable /> with {refusal.code}.{' '}
          </>
        )}
        {who} gets the key{content} now.
      </>
    );
  return (
    <>
      {who} gets no key{content}: <Because {...{ decision, refusal, cause }} />. <code>{code}</code>
    </>
  );
}

interface BecauseProps extends Pick<Explained, 'refusal' | 'cause'> {
  decision: KeyDecision;
}

/** The reason of a refusal, as the end of a sentence. */
function Because({ decision, refusal, cause }: BecauseProps): ReactNode {
  const { code, outcome, steps } = decision;
  const ended = steps.find(({ answer }) => answer === outcome);
  const facts = ended?.facts ?? {};
  const { name } = wordsOf(ended?.step ?? '');
  if (outcome === 'unknown') return `the step “${name}” needs a state that cannot be read`;
  if (cause.block) return <Act cause={cause}>it was blocked</Act>;
  switch (code) {
    case 'INVALID_TOKEN':
      return <Detail of="its token is not accepted" text={facts.detail} />;
    case 'INVALID_SESSION':
      return <Detail of="its session is not accepted" text={facts.detail} />;
    case 'CONTENT_NOT_ENTITLED':
      return refusal?.contentIds
        ? `its token opens ${describeContents(refusal.contentIds)} alone`
        : 'its token does not open this content';
    case 'CONTENT_NOT_FOUND':
      if (facts.status !== 'disabled') return 'no such content is registered';
      return <Act cause={cause}>the content was disabled</Act>;
    case 'LEASE_UNKNOWN':
      return facts.isKnown === true
        ? 'the lease that it names belongs to another viewer or content'
        : 'the lease that it names does not exist';
    case 'LEASE_REVOKED':
      return <Act cause={cause}>{revocations[cause.lease?.revokedBy ?? 'management']}</Act>;
    case 'TOKEN_REVOKED':
      return <Act cause={cause}>its tokens were revoked</Act>;
    case 'LEASE_EXPIRED':
      return (
        <Act cause={{ ...cause, at: textOf(facts.expiresAt) }}>its lease was not renewed, and ended</Act>
      );
    case 'EPOCH_NOT_YET':
      return <Act cause={{ ...cause, at: textOf(facts.opensAt) }}>the epoch begins</Act>;
    default:
      return reasons[code ?? ''] ?? `the step “${name}” refuses it`;
  }
}

const textOf = (fact: unknown) => (typeof fact === 'string' ? fact : null);

const reasons: Readonly<Record<string, string>> = {
  VIEWER_BLOCKED: 'it was blocked',
  LEASE_REQUIRED: 'its request names no lease',
  EPOCH_NOT_FOUND: 'the content has no such epoch',
  EPOCH_PAST: 'the epoch is over',
  KEY_PACE_EXCEEDED: 'it requests keys faster than it can play',
  DEPENDENCY_UNAVAILABLE: 'the server lacks the master key of this content',
};

const revocations = {
  management: 'its lease was revoked',
  viewer: 'its player returned the lease',
  limit: 'a newer lease took the place of its lease',
};

/** A sentence of the server has its own full stop, and may be long. */
function Detail({ of, text }: { of: string; text: unknown }) {
  return (
    <>
      {of}
      {typeof text === 'string' && (
        <>
          {' '}
          (<OutsideText text={text.replace(/\.$/, '')} />)
        </>
      )}
    </>
  );
}

const ofBlock = ({ blockedAt: at, reason }: NonNullable<Cause['block']>) => ({ at, reason, record: null });

interface ActProps {
  cause: Pick<Cause, 'at' | 'reason' | 'record'>;
  children: ReactNode;
}

/** "it was blocked 3 minutes ago by API key owner, reason chargeback", as far as it is known. */
function Act({ cause: { at, reason, record }, children }: ActProps) {
  return (
    <>
      {children}
      {at !== null && (
        <>
          {' '}
          <RelativeTime at={at} isFocusable />
        </>
      )}
      {record && (
        <>
          {' '}
          by <Actor record={record} />
        </>
      )}
      {reason !== null && (
        <>
          , reason <OutsideText text={reason} />
        </>
      )}
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
      {id !== null && (
        <>
          {' '}
          <OutsideText text={id} />
        </>
      )}
      {person !== null && (
        <>
          , <OutsideText text={person} />
        </>
      )}
    </>
  );
}
