import type { ReactNode } from 'react';
import type { Refusal } from '../../api/resources.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import styles from './refusals.module.css';
import { type DecisionStep, type KeyDecision, nameOfAnswer, nameOfFact, wordsOf } from './step-words.ts';

const icons: Record<DecisionStep['answer'], IconName> = {
  passed: 'check',
  refused: 'stop',
  unknown: 'warning',
  skipped: 'right',
  'not-reached': 'right',
};

interface DecisionProps {
  decision: KeyDecision;
  /** The refused request that it is about, if any. */
  refusal: Refusal | undefined;
}

/** Every decision about a key request, in order, and what the request would get now. */
export function DecisionSteps({ decision, refusal }: DecisionProps) {
  return (
    <div className={styles.decision}>
      <Outcome decision={decision} refusal={refusal} />
      <ol className={styles.steps} aria-label="Decisions, in their order">
        {decision.steps.map((step) => (
          <Step key={step.step} step={step} />
        ))}
      </ol>
      <p className={styles.hint}>
        Decided <RelativeTime at={decision.decidedAt} isFocusable /> by what is known now. An earlier request
        may have been decided by something else.
      </p>
    </div>
  );
}

function Outcome({ decision: { outcome, code, steps, withNewToken }, refusal }: DecisionProps) {
  const then = refusal && <RefusedThen refusal={refusal} />;
  if (outcome === 'served')
    return (
      <Notice kind="good" role="status" title="The key is served now">
        {then}
        <p>{whyServed(refusal)}</p>
      </Notice>
    );
  const step = steps.find(({ answer }) => answer === outcome)?.step ?? '';
  const at = wordsOf(step).name;
  if (outcome === 'unknown')
    return (
      <Notice kind="warning" role="status" title={`It cannot be known now: ${code}`}>
        {then}
        <p>The step “{at}” needs a state that cannot be read. Players get 503 until it can.</p>
      </Notice>
    );
  return (
    <Notice kind="bad" role="status" title={`The key is refused: ${code}`}>
      {then}
      <p>
        The step “{at}” refuses it.
        {withNewToken && stepsOfTokens.includes(step) && ` ${describeNewToken(withNewToken)}`}
      </p>
    </Notice>
  );
}

/** The steps that another token of the viewer can pass. */
const stepsOfTokens: readonly string[] = ['entitlement', 'marks'];

function whyServed(refusal: Refusal | undefined): string {
  if (refusal && isTokenKnown(refusal))
    return 'The same token would get the key now: what refused it has changed since.';
  if (refusal) return 'Every step passes for a token that is issued now and opens everything.';
  return 'Every step passes. A viewer ID stands for a token that is issued now and opens everything: if the player still gets no key, enter its token.';
}

function describeNewToken({ outcome, code }: NonNullable<KeyDecision['withNewToken']>): string {
  const token = 'A token that is issued now and opens this content';
  if (outcome === 'served') return `${token} would get the key.`;
  return outcome === 'refused'
    ? `${token} would be refused too: ${code}.`
    : `What ${token.toLowerCase()} would get cannot be known now.`;
}

/** Whether the server kept what the token of the refused request said. */
const isTokenKnown = ({ issuedAt }: Refusal) => issuedAt !== undefined;

/** What the request was refused with, and the token that it had. */
function RefusedThen({ refusal }: { refusal: Refusal }) {
  const { at, code, issuedAt, contentIds } = refusal;
  return (
    <p>
      Refused <RelativeTime at={at} isFocusable /> with <code>{code}</code>
      {isTokenKnown(refusal) ? (
        <>
          . Its token{' '}
          {issuedAt ? (
            <>
              was issued <RelativeTime at={issuedAt} isFocusable />
            </>
          ) : (
            'had no iat'
          )}{' '}
          and opened {describeContents(contentIds)}.
        </>
      ) : (
        '. What its token said was not kept.'
      )}
    </p>
  );
}

/** As many as the server keeps: there may be more. */
const mostContents = 10;

function describeContents(ids: readonly string[] | null | undefined): ReactNode {
  if (!ids) return 'everything';
  if (ids.length === 0) return 'nothing';
  return `${ids.join(', ')}${ids.length < mostContents ? '' : ' and perhaps more'}`;
}

function Step({ step: { step, answer, code, facts } }: { step: DecisionStep }) {
  const { name, asks } = wordsOf(step);
  const shown = Object.entries(facts);
  return (
    <li className={styles.step} data-answer={answer}>
      <span className={styles.mark}>
        <Icon name={icons[answer]} size={18} />
      </span>
      <div className={styles.words}>
        <p className={styles.stepHead}>
          <strong>{name}</strong> <span className={styles.answer}>{code ?? nameOfAnswer(answer)}</span>
        </p>
        <p className={styles.hint}>{asks}</p>
        {shown.length > 0 && (
          <dl className={styles.facts}>
            {shown.map(([fact, value]) => (
              <div key={fact}>
                <dt>{nameOfFact(fact)}</dt>
                <dd>
                  <FactValue fact={fact} value={value} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </li>
  );
}

function FactValue({ fact, value }: { fact: string; value: unknown }) {
  if (value === null || value === undefined) return <span className={styles.none}>none</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  return fact.endsWith('At') ? <RelativeTime at={text} isFocusable /> : <OutsideText text={text} />;
}
