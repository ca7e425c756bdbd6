import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { expiryChoices } from './expiry-choices.ts';

/** A key that ends by itself does no harm when it is forgotten. */
const usual = '365';

export function ExpiryField({ error }: { error: string | undefined }) {
  const [choice, setChoice] = useState<string>(usual);
  return (
    <>
      <NativeSelect
        name="expiry"
        label="Expires"
        value={choice}
        onChange={(event) => setChoice(event.currentTarget.value)}
        data={[...expiryChoices]}
        error={choice === 'date' ? undefined : error}
      />
      {choice === 'date' && (
        <TextInput name="date" type="date" label="Last day on which it works" error={error} />
      )}
    </>
  );
}
