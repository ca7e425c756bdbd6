import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { reading } from '../../api/api.ts';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { PageHead, PageSkeleton } from '../../components/page-head.tsx';
import { useApi } from '../../session/app-context.ts';
import { countingLeases } from '../leases/active-count.tsx';

/** For an API key of some contents: its own numbers. The server refuses the statistics to it. */
export function LimitedOverview() {
  const api = useApi();
  const contents = useQuery(reading(api, '/api/v1/content', { query: { limit: 1 } }));
  const leases = useQuery(countingLeases(api, {}));
  const error = contents.error ?? leases.error;
  const retry = () => {
    void contents.refetch();
    void leases.refetch();
  };
  return (
    <>
      <PageHead title="Overview" lead="The contents of this key." />
      <Notice title="This key is limited to some contents">
        Figures of the whole server, the audit, webhooks and settings need a key of all contents.
      </Notice>
      {error ? <ErrorState error={error} onRetry={retry} /> : null}
      {!error && (!contents.data || !leases.data) && <PageSkeleton />}
      {!error && contents.data && leases.data && (
        <Card>
          <FactList
            facts={{
              Contents: <Link href="/content">{formatCount(contents.data.total)}</Link>,
              'Active leases': <Link href="/leases">{formatCount(leases.data.total_active ?? 0)}</Link>,
              Requests: <Link href="/usage">Usage over time</Link>,
            }}
          />
        </Card>
      )}
    </>
  );
}
