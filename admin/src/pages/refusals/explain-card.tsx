import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { type DescribedKeyRequest, explainKeyRequest, type KeyDecision } from '../../api/key-decisions.ts';
import type { Refusal } from '../../api/statistics.ts';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { DecisionSteps } from './decision-steps.tsx';
import { type KeyQuestion, type QuestionFaults, questionOf, readQuestion } from './key-question.ts';
import styles from './refusals.module.css';

interface ExplainCardProps {
  /** The question that the address names. It is asked at once if it is complete. */
  named: KeyQuestion;
  /** Called with each question that is asked. */
  onAsk: (question: KeyQuestion) => void;
  /** Where a request ID is looked up. */
  refusals: readonly Refusal[];
}

/** Asks the server for every decision about one key request. */
export function ExplainCard({ named, onAsk, refusals }: ExplainCardProps) {
  const { question, setQuestion, faults, decision, error, isPending, ask } = useQuestion(
    named,
    onAsk,
    refusals,
  );
  const form = useFaultFocus(faults, error);
  const field = (name: keyof KeyQuestion) => ({
    value: question[name],
    error: faults[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
      setQuestion((now) => ({ ...now, [name]: value })),
    autoComplete: 'off',
    spellCheck: false,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(question);
  };
  return (
    <Card>
      <h2 className={styles.heading}>Why is a key refused?</h2>
      <form ref={form} onSubmit={submit} className={styles.form} noValidate>
        <TextInput
          label="Viewer ID, token or request ID"
          description="A token is checked, and not stored."
          data-takes="token"
          {...field('who')}
        />
        <TextInput
          label="Content ID"
          description="Found by itself for a request ID."
          data-names="content"
          {...field('contentId')}
        />
        <TextInput label="Epoch" description="Optional" inputMode="numeric" {...field('epoch')} />
        <TextInput
          label="Lease ID"
          description="Optional: X-Lease-Id of the request"
          data-names="lease"
          {...field('leaseId')}
        />
        <div className={styles.submit}>
          <Button type="submit" loading={isPending}>
            Explain
          </Button>
        </div>
      </form>
      <ErrorNotice error={error} purpose="shown" />
      {decision && <DecisionSteps decision={decision} />}
    </Card>
  );
}

function useQuestion(
  named: KeyQuestion,
  onAsk: (question: KeyQuestion) => void,
  refusals: readonly Refusal[],
) {
  const api = useApi();
  const [question, setQuestion] = useState(named);
  const [faults, setFaults] = useState<QuestionFaults>({});
  const [decision, setDecision] = useState<KeyDecision | null>(null);
  const explain = useServerAction({
    mutationFn: (described: DescribedKeyRequest) => explainKeyRequest(api, described),
    onSuccess: setDecision,
    onError: () => setDecision(null),
  });
  const ask = (asked: KeyQuestion) => {
    const refusal = refusals.find(({ requestId }) => requestId === asked.who.trim());
    const whole = (refusal && questionOf(refusal)) ?? asked;
    setQuestion(whole);
    const { described, faults: found } = readQuestion(whole);
    setFaults(found);
    if (!described) return;
    onAsk(whole);
    explain.mutate(described);
  };
  const askNamed = useEffectEvent(() => {
    if (!readQuestion(named).described) return;
    if (named.who !== question.who || named.contentId !== question.contentId || decision === null) ask(named);
  });
  const key = JSON.stringify(named);
  useEffect(() => askNamed(), [key]);
  return { question, setQuestion, faults, decision, ask, error: explain.error, isPending: explain.isPending };
}
