import { Box, Button, Checkbox, PasswordInput, Stack } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { describeError } from '../../components/describe-error.ts';
import { Notice } from '../../components/notice.tsx';
import { useApp } from '../../session/app-context.ts';
import { readCredential } from '../../session/read-credential.ts';
import { Entrance } from '../../shell/entrance.tsx';
import { useStore } from '../../state/store.ts';
import { useServerAction } from '../../state/use-server-action.ts';

/** Asks for an API key. The address stays, so signing in shows the requested page. */
export function SignInPage() {
  const state = useStore(useApp().session.state);
  useDocumentTitle('Sign in · Latchkey');
  const reason = state.status === 'signed-out' ? state.reason : null;
  return (
    <Entrance>
      <Stack gap="1.25rem">
        <div>
          <h1>Sign in</h1>
          <Box component="p" mt="0.375rem" c="dimmed">
            Use an API key of this server.
          </Box>
        </div>
        {reason && (
          <Notice kind="warning" role="status">
            {reason}
          </Notice>
        )}
        <SignInForm />
        <details className="note">
          <summary>No key?</summary>
          <Box component="p" mt="0.5rem">
            In the Latchkey folder on the database machine,{' '}
            <code>npx latchkey api-keys create --name rescue</code> creates a key. If{' '}
            <code>ADMIN_API_KEY</code> is set, its value works as well.
          </Box>
        </details>
      </Stack>
    </Entrance>
  );
}

function SignInForm() {
  const { session } = useApp();
  const field = useRef<HTMLInputElement>(null);
  const [unusable, setUnusable] = useState<string | null>(null);
  const signIn = useServerAction({
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
    <form onSubmit={submit} noValidate>
      <Stack gap="1.25rem">
        <PasswordInput
          ref={field}
          name="key"
          data-takes="credential"
          label="API key"
          placeholder="lk_…"
          autoComplete="current-password"
          autoFocus
          size="md"
          error={fault}
          // Mantine sets it on all fields except this one.
          aria-invalid={fault !== null || undefined}
          errorProps={{ role: 'alert' }}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key', tabIndex: 0 }}
          styles={{ innerInput: { fontFamily: 'var(--font-mono)', fontSize: '0.875rem' } }}
        />
        <Checkbox
          name="remember"
          label="Keep me signed in while this tab is open"
          description="Stores the key in this tab’s session storage. Otherwise a reload signs you out."
        />
        <Button type="submit" size="md" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

/** Explains why a key was refused, and what to do. */
function explainSignIn(error: unknown): string {
  if (error instanceof ApiError) {
    // A valid viewer token (JWT), which cannot sign in here.
    if (error.status === 403 || error.code === 'INVALID_TOKEN')
      return 'That is a viewer token. The dashboard needs an API key, which begins with lk_.';
    if (error.status === 401)
      return 'The server does not accept this key: it is unknown, revoked or expired. Is it complete, and from this server?';
  }
  const { title, advice } = describeError(error, 'read-once');
  return `${title}. ${advice}`;
}
