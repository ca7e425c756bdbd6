import { useQuery, useQueryClient } from '@tanstack/react-query';
import { listManagers, revokeApiKey } from '../../api/api-keys.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { ApiKey } from '../../api/resources.ts';
import { TypedConfirmation } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { risksOf } from './api-key-rules.ts';

const ownReason = 'You revoked the key that you were signed in with.';

/** Revokes a key after its prefix was typed. */
export function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const api = useApi();
  const { session, toasts } = useApp();
  const current = useCurrentApiKey();
  const queries = useQueryClient();
  const managers = useQuery({
    queryKey: queryKeys.apiKeyManagers,
    queryFn: ({ signal }) => listManagers(api, signal),
    staleTime: 0,
  });
  const { isOwn, isLastManager } = risksOf(apiKey, current, managers.data);
  const revoke = useServerAction({
    mutationFn: () => revokeApiKey(api, apiKey.id),
    onSuccess: () => {
      if (isOwn) return session.signOut(ownReason);
      void queries.invalidateQueries({ queryKey: queryKeys.apiKeys });
      toasts.announce('Key revoked');
      onClose();
    },
  });
  return (
    <TypedConfirmation
      title="Revoke this key"
      expected={apiKey.keyPrefix}
      action="Revoke the key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>
        <bdi>{apiKey.name}</bdi> is refused everywhere from then on. This cannot be undone.{' '}
        {apiKey.lastUsedAt ? (
          <>
            It was last used <RelativeTime at={apiKey.lastUsedAt} isFocusable />.
          </>
        ) : (
          'It was never used.'
        )}
      </p>
      {isOwn && (
        <Notice kind="warning" title="This is the key that you are signed in with">
          You will be signed out.
        </Notice>
      )}
      {isLastManager && (
        <Notice kind="bad" title="This is the last key that can manage the server">
          After this, you can create a key only with ADMIN_API_KEY, if it is set, or with{' '}
          <code>npx latchkey api-keys create</code> in the Latchkey folder on the database machine.
        </Notice>
      )}
    </TypedConfirmation>
  );
}
