import type { DecisionStep, KeyDecision } from '../../api/key-decisions.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import styles from './refusals.module.css';
import { nameOfAnswer, nameOfFact, wordsOf } from './step-words.ts';

const icons: Record<DecisionStep['answer'], IconName> = {
  passed: 'check',
  refused: 'stop',
  unknown: 'warning',
  skipped: 'right',
  'not-reached': 'right',
};

/** Every decision about a key request, in order, and what the request would get now. */
export function DecisionSteps({ decision }: { decision: KeyDecision }) {
  return (
    <div className={styles.decision}>
      <Outcome decision={decision} />
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

function Outcome({ decision: { outcome, code, steps } }: { decision: KeyDecision }) {
  if (outcome === 'served')
    return (
      <Notice kind="good" role="status" title="The key is served now">
        Every step passes. If the player still gets none, compare its token and lease with these.
      </Notice>
    );
  const at = wordsOf(steps.find(({ answer }) => answer === outcome)?.step ?? '').name;
  if (outcome === 'unknown')
    return (
      <Notice kind="warning" role="status" title={`It cannot be known now: ${code}`}>
        The step “{at}” needs a state that cannot be read. Players get 503 until it can.
      </Notice>
    );
  return (
    <Notice kind="bad" role="status" title={`The key is refused: ${code}`}>
      The step “{at}” refuses it.
    </Notice>
  );
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

function FactValue({ fact, value }: { fact: string; value: DecisionStep['facts'][string] }) {
  if (value === null) return <span className={styles.none}>none</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  return fact.endsWith('At') ? <RelativeTime at={value} isFocusable /> : <OutsideText text={value} />;
}
