import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Refusal } from '../../api/resources.ts';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { DecisionSteps } from './decision-steps.tsx';
import {
  claimsOf,
  type DescribedKeyRequest,
  explainNothing,
  findRefusal,
  type KeyQuestion,
  type QuestionFaults,
  questionOf,
  readQuestion,
  writeQuestion,
} from './key-question.ts';
import styles from './refusals.module.css';
import type { KeyDecision } from './step-words.ts';

interface ExplainCardProps {
  /** The question that the address names. It is asked at once if it is complete. */
  named: KeyQuestion;
  /** How often a row asked for it: each time it is asked again. */
  clicks: number;
  /** Called with each question that is asked. */
  onAsk: (question: KeyQuestion) => void;
  /** Where a request ID is looked up. Undefined until they are read. */
  refusals: readonly Refusal[] | undefined;
  /** Why they could not be read. */
  refusalsError: unknown;
}

/** Asks the server for every decision about one key request. */
export function ExplainCard(props: ExplainCardProps) {
  const { question, setQuestion, faults, explained, error, isPending, ask } = useQuestion(props);
  const form = useFaultFocus(faults, error);
  const field = (name: keyof KeyQuestion) => ({
    value: question[name],
    error: faults[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
      setQuestion((now) => ({ ...now, [name]: value, requestId: '' })),
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
      {explained && <DecisionSteps {...explained} />}
    </Card>
  );
}

interface Explained {
  decision: KeyDecision;
  /** The refusal that was asked about. */
  refusal: Refusal | undefined;
}

function useQuestion({ named, clicks, onAsk, refusals, refusalsError }: ExplainCardProps) {
  const api = useApi();
  const [question, setQuestion] = useState(named);
  const [faults, setFaults] = useState<QuestionFaults>({});
  const [explained, setExplained] = useState<Explained | null>(null);
  const lastAsked = useRef('');
  const explain = useServerAction({
    mutationFn: async ({ described, refusal }: { described: DescribedKeyRequest; refusal?: Refusal }) => ({
      decision: await api.call('post', '/api/v1/key-decisions', {
        body: { ...described, ...claimsOf(refusal) },
      }),
      refusal,
    }),
    onSuccess: setExplained,
    onError: () => setExplained(null),
  });
  const { error, isPending, reset } = explain;
  const keyOf = (one: KeyQuestion) => `${clicks} ${writeQuestion(one)}`;
  const ask = (asked: KeyQuestion) => {
    const refusal = findRefusal(refusals ?? [], asked);
    const whole = (refusal && questionOf(refusal)) ?? asked;
    setQuestion(whole);
    const { described, faults: found } = readQuestion(whole, refusals !== undefined);
    if (refusal && questionOf(refusal) === null) found.who = explainNothing(refusal);
    setFaults(found);
    if (!described || Object.keys(found).length > 0) {
      // The answer to the question before would stand beside these faults.
      setExplained(null);
      reset();
      return;
    }
    lastAsked.current = keyOf(whole);
    onAsk(whole);
    explain.mutate({ described, ...(refusal && { refusal }) });
  };
  const key = keyOf(named);
  // Its token is known once the refusals are read.
  const isWaiting = named.requestId !== '' && refusals === undefined && refusalsError === null;
  const askNamed = useEffectEvent(() => {
    if (isPending || isWaiting || key === lastAsked.current || !readQuestion(named).described) return;
    ask(named);
  });
  useEffect(() => askNamed(), [key, isPending, isWaiting]);
  return { question, setQuestion, faults, explained, ask, error, isPending };
}
