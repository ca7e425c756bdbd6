import { useQuery, useQueryClient } from '@tanstack/react-query';
import { listManagers, revokeApiKey } from '../../api/api-keys.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { ApiKey } from '../../api/resources.ts';
import { TypedConfirmation } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { useAct } from '../../state/use-act.ts';
import { risksOf } from './api-key-rules.ts';

const ownReason = 'You revoked the key that you were signed in with.';

/** Ends a key for good, after its beginning was typed. */
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
  const revoke = useAct({
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
        <bdi>{apiKey.name}</bdi> is refused from then on, everywhere, and cannot be brought back.{' '}
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
          Afterwards only ADMIN_API_KEY, where it is set, or <code>npx latchkey api-keys create</code> in the
          folder of Latchkey on the machine of the database can make another.
        </Notice>
      )}
    </TypedConfirmation>
  );
}
