import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { KeyPeriods } from '../../api/resources.ts';
import type { ServerForm } from '../../components/use-server-form.tsx';
import { useApp } from '../../session/app-context.ts';
import styles from './content.module.css';
import { type PeriodsMode, type PeriodsTexts, textsOfMode } from './key-periods-form.ts';

const modes = [
  { value: 'none', label: 'None: every key at any time' },
  { value: 'clock', label: 'By the clock: a live channel' },
  { value: 'sequence', label: 'In sequence: a video on demand' },
] as const satisfies readonly { value: PeriodsMode; label: string }[];

const meanings: Record<PeriodsMode, string> = {
  none: 'A viewer can fetch the keys of all epochs at once, and keep them after a revocation.',
  clock: 'Epoch 0 begins at a time that you state, and the others follow. Key URLs need an epoch.',
  sequence: 'latchkey encrypt --register states them for you. Key URLs need an epoch.',
};

type PeriodsForm = ServerForm<{ keyPeriods: PeriodsTexts }>;

interface FieldsProps {
  /** Null for a new content. */
  stored: KeyPeriods | null;
  form: PeriodsForm;
}

/** The key periods of a content: when the keys of its epochs are served. */
export function KeyPeriodsFields({ stored, form }: FieldsProps) {
  const { clock } = useApp();
  const { mode } = form.getValues().keyPeriods;
  const choose = (chosen: string) =>
    form.setFieldValue('keyPeriods', textsOfMode(chosen as PeriodsMode, stored, clock.now()));
  return (
    <fieldset className={styles.periods}>
      <legend className="visually-hidden">Key periods</legend>
      <NativeSelect
        {...form.getInputProps('keyPeriods')}
        label="Key periods"
        description={meanings[mode]}
        defaultValue={mode}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[...modes]}
      />
      {mode === 'clock' && <ClockFields form={form} />}
      {mode === 'sequence' && <SequenceFields form={form} />}
    </fieldset>
  );
}

function ClockFields({ form }: { form: PeriodsForm }) {
  return (
    <>
      <TextInput
        {...form.getInputProps('keyPeriods.origin')}
        label="Epoch 0 begins"
        description="With the offset from UTC. The encoder must use the same time."
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        {...form.getInputProps('keyPeriods.periodSeconds')}
        label="Period in seconds"
        description="A revoked viewer plays on for at most the rest of the current period and the periods ahead."
        inputMode="numeric"
        placeholder="10"
      />
      <div className={styles.pair}>
        <TextInput
          {...form.getInputProps('keyPeriods.ahead')}
          label="Epochs ahead"
          description="Served early. Empty: 1."
          inputMode="numeric"
          placeholder="1"
        />
        <TextInput
          {...form.getInputProps('keyPeriods.behind')}
          label="Epochs behind"
          description="Served late. Empty: all."
          inputMode="numeric"
          placeholder="all"
        />
      </div>
    </>
  );
}

function SequenceFields({ form }: { form: PeriodsForm }) {
  return (
    <>
      <div className={styles.pair}>
        <TextInput
          {...form.getInputProps('keyPeriods.count')}
          label="Number of epochs"
          description="Numbered from 0."
          inputMode="numeric"
          placeholder="120"
        />
        <TextInput
          {...form.getInputProps('keyPeriods.periodSeconds')}
          label="Longest period in seconds"
          description="Playing time of an epoch."
          inputMode="decimal"
          placeholder="60"
        />
      </div>
      <Checkbox
        {...form.getInputProps('keyPeriods.pace', { type: 'checkbox' })}
        label="Bound how fast a viewer fetches keys"
        description="Otherwise a viewer can fetch the keys of all epochs at once."
      />
      <div className={styles.pair}>
        <TextInput
          {...form.getInputProps('keyPeriods.burst')}
          label="Keys at once"
          description="Empty: the keys of two minutes."
          inputMode="numeric"
          placeholder="8"
        />
        <TextInput
          {...form.getInputProps('keyPeriods.speed')}
          label="Then keys in each period"
          description="Empty: 2, for double speed."
          inputMode="decimal"
          placeholder="2"
        />
      </div>
    </>
  );
}
