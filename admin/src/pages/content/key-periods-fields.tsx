import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { KeyPeriods } from '../../api/resources.ts';
import { useApp } from '../../session/app-context.ts';
import styles from './content.module.css';
import { type PeriodsFaults, type PeriodsMode, type PeriodsTexts, writePeriods } from './key-periods-form.ts';

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

interface FieldsProps {
  /** The stored key periods; null for a new content. */
  periods: KeyPeriods | null;
  faults: PeriodsFaults;
}

/** The key periods of a content: when the keys of its epochs are served. */
export function KeyPeriodsFields({ periods, faults }: FieldsProps) {
  const [mode, setMode] = useState<PeriodsMode>(periods?.mode ?? 'none');
  const texts = writePeriods(periods?.mode === mode ? periods : null);
  return (
    <fieldset className={styles.periods}>
      <legend className="visually-hidden">Key periods</legend>
      <NativeSelect
        name="periodsMode"
        label="Key periods"
        description={meanings[mode]}
        value={mode}
        onChange={(event) => setMode(event.currentTarget.value as PeriodsMode)}
        data={[...modes]}
        error={faults.keyPeriods}
      />
      {mode === 'clock' && <ClockFields texts={texts} faults={faults} />}
      {mode === 'sequence' && <SequenceFields texts={texts} faults={faults} />}
    </fieldset>
  );
}

interface ModeProps {
  texts: PeriodsTexts;
  faults: PeriodsFaults;
}

function ClockFields({ texts, faults }: ModeProps) {
  const { clock } = useApp();
  const [now] = useState(() => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`);
  return (
    <>
      <TextInput
        name="keyPeriods/origin"
        label="Epoch 0 begins"
        description="With the offset from UTC. The encoder must use the same time."
        spellCheck={false}
        autoComplete="off"
        defaultValue={texts.origin || now}
        error={faults['keyPeriods/origin']}
      />
      <TextInput
        name="keyPeriods/periodSeconds"
        label="Period in seconds"
        description="A revoked viewer plays on for at most the rest of the current period and the periods ahead."
        inputMode="numeric"
        placeholder="10"
        defaultValue={texts.periodSeconds}
        error={faults['keyPeriods/periodSeconds']}
      />
      <div className={styles.pair}>
        <TextInput
          name="keyPeriods/ahead"
          label="Epochs ahead"
          description="Served early. Empty: 1."
          inputMode="numeric"
          placeholder="1"
          defaultValue={texts.ahead}
          error={faults['keyPeriods/ahead']}
        />
        <TextInput
          name="keyPeriods/behind"
          label="Epochs behind"
          description="Served late. Empty: all."
          inputMode="numeric"
          placeholder="all"
          defaultValue={texts.behind}
          error={faults['keyPeriods/behind']}
        />
      </div>
    </>
  );
}

function SequenceFields({ texts, faults }: ModeProps) {
  return (
    <>
      <div className={styles.pair}>
        <TextInput
          name="keyPeriods/count"
          label="Number of epochs"
          description="Numbered from 0."
          inputMode="numeric"
          placeholder="120"
          defaultValue={texts.count}
          error={faults['keyPeriods/count']}
        />
        <TextInput
          name="keyPeriods/periodSeconds"
          label="Longest period in seconds"
          description="Playing time of an epoch."
          inputMode="decimal"
          placeholder="60"
          defaultValue={texts.periodSeconds}
          error={faults['keyPeriods/periodSeconds']}
        />
      </div>
      <Checkbox
        name="keyPeriods/pace"
        label="Bound how fast a viewer fetches keys"
        description="Otherwise a viewer can fetch the keys of all epochs at once."
        defaultChecked={texts.pace}
      />
      <div className={styles.pair}>
        <TextInput
          name="keyPeriods/burst"
          label="Keys at once"
          description="Empty: those of two minutes."
          inputMode="numeric"
          placeholder="8"
          defaultValue={texts.burst}
          error={faults['keyPeriods/burst']}
        />
        <TextInput
          name="keyPeriods/speed"
          label="Then keys in each period"
          description="Empty: 2, for double speed."
          inputMode="decimal"
          placeholder="2"
          defaultValue={texts.speed}
          error={faults['keyPeriods/speed']}
        />
      </div>
    </>
  );
}
