import { useEffect } from 'react';
import { Notice } from '../../components/notice.tsx';
import { useApp } from '../../session/app-context.ts';
import { Entrance } from '../../shell/entrance.tsx';
import { useStore } from '../../state/store.ts';
import styles from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';

/** Asks for an API key. The address stays: what was asked for is shown once somebody is signed in. */
export function SignInPage() {
  const state = useStore(useApp().session.state);
  useEffect(() => {
    document.title = 'Sign in · Latchkey';
  }, []);
  const reason = state.status === 'signed-out' ? state.reason : null;
  return (
    <Entrance>
      <div className={styles.page}>
        <div>
          <h1>Sign in</h1>
          <p className={styles.lead}>With an API key of this server.</p>
        </div>
        {reason && (
          <Notice kind="warning" role="status">
            {reason}
          </Notice>
        )}
        <SignInForm />
        <details className={styles.help}>
          <summary>No key at hand?</summary>
          <p>
            In the folder of Latchkey on the machine of the database,{' '}
            <code>npx latchkey api-keys create --name rescue</code> makes a new one. A server with{' '}
            <code>ADMIN_API_KEY</code> takes that value as well.
          </p>
        </details>
      </div>
    </Entrance>
  );
}
