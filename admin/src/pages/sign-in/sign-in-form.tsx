import { Button, Checkbox, PasswordInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { useApp } from '../../session/app-context.ts';
import { readCredential } from '../../session/read-credential.ts';
import { useAct } from '../../state/use-act.ts';
import { explainSignIn } from './explain-sign-in.ts';
import styles from './sign-in.module.css';

export function SignInForm() {
  const { session } = useApp();
  const field = useRef<HTMLInputElement>(null);
  const [unusable, setUnusable] = useState<string | null>(null);
  const signIn = useAct({
    mutationFn: ({ key, remember }: { key: string; remember: boolean }) => session.signIn(key, remember),
    onError: () => field.current?.select(),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const { credential, fault } = readCredential(String(data.get('key')));
    setUnusable(fault);
    if (credential === null) return field.current?.select();
    signIn.mutate({ key: credential, remember: data.get('remember') !== null });
  };
  const fault = unusable ?? (signIn.error && explainSignIn(signIn.error));
  return (
    <form onSubmit={submit} className={styles.form} noValidate>
      <PasswordInput
        ref={field}
        name="key"
        label="API key"
        placeholder="lk_…"
        autoComplete="current-password"
        autoFocus
        size="md"
        error={fault}
        errorProps={{ role: 'alert' }}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the key', tabIndex: 0 }}
        classNames={{ innerInput: styles.key ?? '' }}
      />
      <Checkbox
        name="remember"
        label="Keep me signed in while this tab is open"
        description="Stores the key in this tab's session storage. Otherwise it is gone at a reload."
      />
      <Button type="submit" size="md" loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}
