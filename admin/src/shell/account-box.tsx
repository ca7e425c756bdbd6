import { ActionIcon } from '@mantine/core';
import { Icon } from '../components/icon.tsx';
import { useApp, useCurrentApiKey } from '../session/app-context.ts';
import styles from './shell.module.css';

/** Who is signed in, and the way out. */
export function AccountBox() {
  const { session } = useApp();
  const { name, scope } = useCurrentApiKey();
  return (
    <div className={styles.account}>
      <div className={styles.who}>
        <bdi className={styles.name} title={name}>
          {name}
        </bdi>
        <span className={styles.scope}>signed in · {scope}</span>
      </div>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => session.signOut()}
      >
        <Icon name="signOut" size={18} />
      </ActionIcon>
    </div>
  );
}
