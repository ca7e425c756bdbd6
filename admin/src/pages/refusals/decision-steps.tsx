import { Flex } from '@mantine/core';
import type { Refusal } from '../../api/resources.ts';
import { Icon } from '../../components/icon.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { phrase } from '../../components/phrase.ts';
import { RelativeTime } from '../../components/times.tsx';
import type { Explained } from './explain-key.ts';
import styles from './refusals.module.css';
import { answers, type DecisionStep, type KeyDecision, nameOfFact, wordsOf } from './step-words.ts';

/** The request that was asked about, and every decision in order. */
export function DecisionSteps({ decision, isAssumed, refusal }: Explained & { decision: KeyDecision }) {
  return (
    <>
      {refusal && <RefusedThen refusal={refusal} />}
      <ol className="ruled" aria-label="Decisions, in their order">
        {decision.steps.map((step) => (
          <Step key={step.step} step={step} />
        ))}
      </ol>
      <p className="note">
        Decided <RelativeTime at={decision.decidedAt} isFocusable /> by what is known now. An earlier request
        may have been decided by something else.
        {isAssumed &&
          ' The token of the player is not known: this is for one that is issued now and opens everything.'}
      </p>
    </>
  );
}

/** The time and code of the refusal, and the token of the request. */
function RefusedThen({ refusal: { at, code, issuedAt, contentIds } }: { refusal: Refusal }) {
  const refused = phrase`Refused ${<RelativeTime at={at} isFocusable />} with ${<code>{code}</code>}`;
  if (issuedAt === undefined) return <p>{refused}. What its token said was not kept.</p>;
  const issued = issuedAt ? phrase`was issued ${<RelativeTime at={issuedAt} isFocusable />}` : 'had no iat';
  return <p>{phrase`${refused}. Its token ${issued} and opened ${describeContents(contentIds)}.`}</p>;
}

/** As many as the server keeps: there may be more. */
const mostContents = 10;

/** The contents that a token opens, in words. */
export function describeContents(ids: readonly string[] | null | undefined): string {
  if (!ids) return 'everything';
  if (ids.length === 0) return 'nothing';
  return `${ids.join(', ')}${ids.length < mostContents ? '' : ' and perhaps more'}`;
}

function Step({ step: { step, answer, code, facts } }: { step: DecisionStep }) {
  const { name, asks } = wordsOf(step);
  const { name: decided, icon } = answers[answer];
  const shown = Object.entries(facts);
  return (
    <li className={styles.step} data-answer={answer}>
      <span className={styles.mark}>
        <Icon name={icon} size={18} />
      </span>
      <div>
        <Flex wrap="wrap" gap="0 0.75rem">
          <strong>{name}</strong> <span className={styles.answer}>{code ?? decided}</span>
        </Flex>
        <p className="note">{asks}</p>
        {shown.length > 0 && (
          <Flex component="dl" wrap="wrap" gap="0.125rem 1.25rem" mt="0.375rem" fz="0.8125rem">
            {shown.map(([fact, value]) => (
              <Flex key={fact} gap="0.375rem" miw={0}>
                <dt className="quiet">{nameOfFact(fact)}</dt>
                <dd>
                  <FactValue fact={fact} value={value} />
                </dd>
              </Flex>
            ))}
          </Flex>
        )}
      </div>
    </li>
  );
}

function FactValue({ fact, value }: { fact: string; value: unknown }) {
  if (value === null || value === undefined) return <span className="quiet">none</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  return fact.endsWith('At') ? <RelativeTime at={text} isFocusable /> : <OutsideText text={text} />;
}
