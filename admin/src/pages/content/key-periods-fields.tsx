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
    <fieldset className={`columns ${styles.periods}`}>
      <legend className="visually-hidden">Key periods</legend>
      <NativeSelect
        {...form.getInputProps('keyPeriods')}
        label="Key periods"
        description={meanings[mode]}
        defaultValue={mode}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[...modes]}
      />
      {mode === 'clock' && (
        <TextInput
          {...form.getInputProps('keyPeriods.origin')}
          label="Epoch 0 begins"
          description="With the offset from UTC. The encoder must use the same time."
        />
      )}
      {mode === 'clock' && <NumberFields form={form} fields={clockPeriod} />}
      {mode === 'clock' && <NumberFields form={form} fields={clockBounds} />}
      {mode === 'sequence' && <NumberFields form={form} fields={sequenceLength} />}
      {mode === 'sequence' && (
        <Checkbox
          {...form.getInputProps('keyPeriods.pace', { type: 'checkbox' })}
          label="Bound how fast a viewer fetches keys"
          description="Otherwise a viewer can fetch the keys of all epochs at once."
        />
      )}
      {mode === 'sequence' && <NumberFields form={form} fields={sequencePace} />}
    </fieldset>
  );
}

type NumberField = readonly [
  member: keyof PeriodsTexts,
  label: string,
  description: string,
  placeholder: string,
  inputMode: 'numeric' | 'decimal',
];

const bound = 'A revoked viewer plays on for at most the rest of the current period and the periods ahead.';
const clockPeriod: readonly NumberField[] = [['periodSeconds', 'Period in seconds', bound, '10', 'numeric']];
const clockBounds: readonly NumberField[] = [
  ['ahead', 'Epochs ahead', 'Served early. Empty: 1.', '1', 'numeric'],
  ['behind', 'Epochs behind', 'Served late. Empty: all.', 'all', 'numeric'],
];
const sequenceLength: readonly NumberField[] = [
  ['count', 'Number of epochs', 'Numbered from 0.', '120', 'numeric'],
  ['periodSeconds', 'Longest period in seconds', 'Playing time of an epoch.', '60', 'decimal'],
];
const sequencePace: readonly NumberField[] = [
  ['burst', 'Keys at once', 'Empty: the keys of two minutes.', '8', 'numeric'],
  ['speed', 'Then keys in each period', 'Empty: 2, for double speed.', '2', 'decimal'],
];

/** Fields next to each other. */
function NumberFields({ form, fields }: { form: PeriodsForm; fields: readonly NumberField[] }) {
  return (
    <div className={`columns ${styles.pair}`}>
      {fields.map(([member, label, description, placeholder, inputMode]) => (
        <TextInput
          key={member}
          {...form.getInputProps(`keyPeriods.${member}`)}
          {...{ label, description, placeholder, inputMode }}
        />
      ))}
    </div>
  );
}
