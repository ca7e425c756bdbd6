import { useQueryClient } from '@tanstack/react-query';
import type { KeyedContent } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Content } from '../../api/resources.ts';
import { useApp } from '../../session/app-context.ts';

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
