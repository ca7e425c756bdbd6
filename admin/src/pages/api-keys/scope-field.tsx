import { Radio } from '@mantine/core';
import { scopes } from '../../api/resources.ts';
import { scopeMeanings } from '../../session/permissions.ts';
import styles from './api-keys.module.css';

/** What the key will be allowed. The least is the first choice. */
export function ScopeField() {
  return (
    <fieldset className={styles.scopes}>
      <legend>Scope</legend>
      {scopes.toReversed().map((scope, index) => (
        <Radio
          key={scope}
          name="scope"
          value={scope}
          label={scope}
          description={scopeMeanings[scope]}
          defaultChecked={index === 0}
        />
      ))}
    </fieldset>
  );
}
