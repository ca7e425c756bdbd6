import { Box, Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { focusFault } from '../../components/use-server-form.tsx';
import { useApi, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useFilter } from '../../state/use-address-filter.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { Answer } from './answer.tsx';
import { type Explained, explainKey, needsContent } from './explain-key.ts';
import { findFaults, forAddress, type KeyQuestion, noQuestion, writeQuestion } from './key-question.ts';
import { refusalFilter } from './refusal-filter.ts';
import styles from './refusals.module.css';
import { useRefusals } from './use-refusals.ts';

/**
 * One field for whatever an admin has of a refused request, and the answer. The question that the address names is asked at once.
 *
 * @param clicks how often a row asked for it: each time it is asked again
 */
export function ExplainCard({ clicks }: { clicks: number }) {
  const { form, explained, error, isPending, send, ask } = useQuestion(clicks);
  const [isOpen, setOpen] = useState(false);
  const field = (name: keyof KeyQuestion, of: KeyQuestion) => ({
    ...form.getInputProps(name),
    onChange: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
      form.setValues({ ...of, [name]: value, request: '' }),
    autoComplete: 'off',
    spellCheck: false,
  });
  return (
    <Card>
      <Box component="h2" mb="0.75rem">
        Why is a key refused?
      </Box>
      <form onSubmit={send} className={styles.form} noValidate>
        <TextInput
          label="Viewer, token, request ID or lease ID"
          description="A token is checked by the server, and not stored."
          data-takes="token"
          // Another caller is another question: its content is found anew.
          {...field('viewer', noQuestion)}
        />
        <Button type="submit" loading={isPending}>
          Explain
        </Button>
        <details
          className={styles.more}
          open={isOpen || isPrecise(form.values) || (explained !== null && needsContent(explained))}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary>Content, epoch and lease</summary>
          <div className={`columns ${styles.fields}`}>
            <TextInput
              label="Content ID"
              description="Default: of its latest refusal or lease"
              data-names="content"
              {...field('content', form.values)}
            />
            <TextInput
              label="Epoch"
              description="Optional"
              inputMode="numeric"
              {...field('epoch', form.values)}
            />
            <TextInput
              label="Lease ID"
              description="Optional: X-Lease-Id of the request"
              data-names="lease"
              {...field('lease', form.values)}
            />
          </div>
        </details>
      </form>
      <ErrorNotice error={error} purpose="shown" />
      {explained && <Answer explained={explained} onChanged={() => ask(explained.asked)} />}
    </Card>
  );
}

const isPrecise = ({ content, epoch, lease }: KeyQuestion) => `${content}${epoch}${lease}` !== '';

function useQuestion(clicks: number) {
  const api = useApi();
  const { filter, change } = useFilter(refusalFilter);
  const { viewer, content, epoch, lease, request } = filter;
  const named: KeyQuestion = { viewer, content, epoch, lease, request };
  // A request ID is looked up in these.
  const { refusals, error: refusalsError } = useRefusals();
  const seesAll = may(useCurrentApiKey(), 'whole-server');
  const form = useForm({ initialValues: named, validate: findFaults });
  const [explained, setExplained] = useState<(Explained & { asked: KeyQuestion }) | null>(null);
  const lastAsked = useRef('');
  const explain = useServerAction({
    mutationFn: async (asked: KeyQuestion) => ({
      asked,
      ...(await explainKey({ api, seesAll, refusals: refusals ?? [] }, asked)),
    }),
    onSuccess: setExplained,
    onError: () => setExplained(null),
  });
  const { error, isPending, reset } = explain;
  const keyOf = (one: KeyQuestion) => `${clicks} ${writeQuestion(one)}`;
  const send = form.onSubmit(
    (asked) => {
      lastAsked.current = keyOf(asked);
      change(forAddress(asked));
      explain.mutate(asked);
    },
    (faults) => {
      focusFault(form, faults);
      // Otherwise the answer to the previous question would be next to these faults.
      setExplained(null);
      reset();
    },
  );
  const ask = (question: KeyQuestion) => {
    form.setValues(question);
    send();
  };
  const key = keyOf(named);
  // The question waits for the refusals: `explainKey` looks for the refused request among them.
  const isWaiting = refusals === undefined && refusalsError === null;
  const askNamed = useEffectEvent(() => {
    if (isPending || isWaiting || named.viewer === '' || key === lastAsked.current) return;
    ask(named);
  });
  useEffect(() => askNamed(), [key, isPending, isWaiting]);
  return { form, explained, send, ask, error, isPending };
}
