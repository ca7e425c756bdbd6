import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { readContent } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { useApi } from '../../session/app-context.ts';
import styles from './content.module.css';
import { ContentSheet } from './content-sheet.tsx';
import { useLiveContent } from './use-live-content.ts';

/** One content, at an address of its own. */
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
            title="No content has this id"
            action={<Link href="/content">All content</Link>}
          >
            <code>{id}</code> is not registered. Ids are told apart letter for letter.
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
