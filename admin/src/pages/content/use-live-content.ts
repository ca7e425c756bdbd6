import { useQueryClient } from '@tanstack/react-query';
import type { KeyedContent } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Content } from '../../api/resources.ts';
import { useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useEvents } from '../../state/use-events.ts';

/** Has the page of a content show what others change, the moment they do. A dialog that is open keeps what it began with. */
export function useLiveContent(id: string): void {
  const queries = useQueryClient();
  const { scope } = useCurrentApiKey();
  const queryKey = queryKeys.content(id);
  useEvents(
    ({ topic, data }) => {
      if (topic === 'missed') void queries.invalidateQueries({ queryKey });
      if (topic !== 'content' || (data as Content | null)?.id !== id) return;
      // What the event has, and the address of its keys, which never changes.
      queries.setQueryData<KeyedContent>(
        queryKey,
        (known) => known && { ...known, content: data as Content },
      );
    },
    may(scope, 'manage'),
  );
}
