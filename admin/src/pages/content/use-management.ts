import { useQueryClient } from '@tanstack/react-query';
import { type Answer, keyOf, reading } from '../../api/api.ts';
import type { Content } from '../../api/schema.ts';
import { describeError } from '../../components/describe-error.ts';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useServerAction } from '../../state/use-server-action.ts';

const path = '/api/v1/content/{id}';

/** A content with the base URL of its keys: absolute, or a path on this server. */
type KeyedContent = Answer<'get', typeof path>;

/** @returns `mayManage`: whether the signed-in key can change content. `enable`: enables a disabled content, by its ID */
export function useManagement() {
  const api = useApi();
  const { announce } = useApp().toasts;
  const apiKey = useCurrentApiKey();
  const changed = useContentChanged();
  const enable = useServerAction({
    mutationFn: (id: string) =>
      api.call('patch', path, { params: { path: { id } }, body: { status: 'active' } }),
    onSuccess: (answer) => changed(answer, 'Content enabled: its keys are served again'),
    onError: (error) => announce(`Enabling the content failed. ${describeError(error, 'act').title}.`),
  });
  return { mayManage: may(apiKey, 'manage'), enable };
}

/** @returns shows the content of an answer on all pages and announces the change */
export function useContentChanged(): (answer: { content: Content } | KeyedContent, said: string) => void {
  const { api, toasts } = useApp();
  const queries = useQueryClient();
  return (answer, said) => {
    const { queryKey } = reading(api, path, { path: { id: answer.content.id } });
    // A content whose key URL is not known yet is read when its page opens.
    queries.setQueryData<KeyedContent>(queryKey, (known) =>
      'key_endpoint' in answer ? answer : known && { ...known, content: answer.content },
    );
    void queries.invalidateQueries({ queryKey: keyOf(path) });
    toasts.announce(said);
  };
}
