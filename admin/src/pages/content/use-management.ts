import { useQueryClient } from '@tanstack/react-query';
import { changeContent, type KeyedContent } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Content } from '../../api/resources.ts';
import { describeError } from '../../components/describe-error.ts';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { type ServerAction, useServerAction } from '../../state/use-server-action.ts';

interface Management {
  /** Whether the signed-in key can change content. Otherwise the buttons are hidden. */
  mayManage: boolean;
  /** Enables a disabled content, by its ID. */
  enable: ServerAction<Content, string>;
}

export function useManagement(): Management {
  const api = useApi();
  const { announce } = useApp().toasts;
  const apiKey = useCurrentApiKey();
  const changed = useContentChanged();
  const enable = useServerAction({
    mutationFn: (id: string) => changeContent(api, id, { status: 'active' }),
    onSuccess: (content) => changed(content, 'Content enabled: its keys are served again'),
    onError: (error) => announce(`Enabling the content failed. ${describeError(error, 'act').title}.`),
  });
  return { mayManage: may(apiKey, 'manage'), enable };
}

/** @returns updates a content on all pages and announces the change */
export function useContentChanged(): (content: Content, said: string) => void {
  const queries = useQueryClient();
  const { announce } = useApp().toasts;
  return (content, said) => {
    // A content that was not read yet is read when its page opens.
    queries.setQueryData<KeyedContent>(
      queryKeys.content(content.id),
      (known) => known && { ...known, content },
    );
    void queries.invalidateQueries({ queryKey: queryKeys.contents });
    announce(said);
  };
}
