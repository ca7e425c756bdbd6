import { useQueryClient } from '@tanstack/react-query';
import { changeContent, type KeyedContent } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Content } from '../../api/resources.ts';
import { describeError } from '../../components/describe-error.ts';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { type Act, useAct } from '../../state/use-act.ts';

export interface Management {
  /** Whether the key that is signed in may change content; one that may not is shown no buttons for it. */
  mayManage: boolean;
  /** Brings a disabled content back, by its id. */
  enable: Act<Content, string>;
}

export function useManagement(): Management {
  const api = useApi();
  const { announce } = useApp().toasts;
  const { scope } = useCurrentApiKey();
  const changed = useContentChanged();
  const enable = useAct({
    mutationFn: (id: string) => changeContent(api, id, { status: 'active' }),
    onSuccess: (content) => changed(content, 'Content enabled: its keys are given again'),
    onError: (error) => announce(`Enabling the content failed. ${describeError(error, 'act').title}.`),
  });
  return { mayManage: may(scope, 'manage'), enable };
}

/** @returns puts a content in its new form on every page, and says what was done */
export function useContentChanged(): (content: Content, said: string) => void {
  const queries = useQueryClient();
  const { announce } = useApp().toasts;
  return (content, said) => {
    // What is not known yet is fetched when it is looked at.
    queries.setQueryData<KeyedContent>(
      queryKeys.content(content.id),
      (known) => known && { ...known, content },
    );
    void queries.invalidateQueries({ queryKey: queryKeys.contents });
    announce(said);
  };
}
