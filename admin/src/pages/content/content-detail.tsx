import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { type KeyedContent, readContent } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Content } from '../../api/resources.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHead, PageSkeleton } from '../../components/page-head.tsx';
import { useApi, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useEvents } from '../../state/use-events.ts';
import styles from './content.module.css';
import { ContentSheet } from './content-sheet.tsx';

/** One content at its own address. */
export function ContentDetail({ id }: { id: string }) {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.content(id),
    queryFn: ({ signal }) => readContent(api, id, signal),
  });
  useLiveContent(id);
  const isUnknown = error instanceof ApiError && error.code === 'CONTENT_NOT_FOUND';
  return (
    <>
      <Link href="/content" className={styles.back}>
        <Icon name="left" size={16} />
        All content
      </Link>
      {!error && !data && <PageSkeleton />}
      {!error && data && <ContentSheet content={data.content} keyEndpoint={data.key_endpoint} />}
      {isUnknown && (
        <>
          <PageHead title="No such content" />
          <EmptyState
            icon="search"
            title="No content has this ID"
            action={<Link href="/content">All content</Link>}
          >
            <code>{id}</code> is not registered. IDs are case-sensitive.
          </EmptyState>
        </>
      )}
      {error && !isUnknown && (
        <>
          <PageHead title="Content" />
          <Card>
            <ErrorState error={error} onRetry={() => refetch()} />
          </Card>
        </>
      )}
    </>
  );
}

/** Updates the page of a content when others change it. An open dialog keeps its input. */
function useLiveContent(id: string): void {
  const queries = useQueryClient();
  const { scope } = useCurrentApiKey();
  const queryKey = queryKeys.content(id);
  useEvents(
    ({ topic, data }) => {
      if (topic === 'missed') void queries.invalidateQueries({ queryKey });
      if (topic !== 'content' || (data as Content | null)?.id !== id) return;
      // The event has no key URL. The URL never changes, so the known one is kept.
      queries.setQueryData<KeyedContent>(
        queryKey,
        (known) => known && { ...known, content: data as Content },
      );
    },
    may(scope, 'manage'),
  );
}
