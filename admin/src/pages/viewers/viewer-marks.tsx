import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { reading } from '../../api/api.ts';
import type { Mark } from '../../api/schema.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ActionDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { Section } from '../../components/section.tsx';
import { RelativeTime, timeColumn } from '../../components/times.tsx';
import { useApi } from '../../session/app-context.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import { useServerAction } from '../../state/use-server-action.ts';

/** No page shows more: a viewer with more than 100 revocations has one for all contents. */
const shownMarks = 100;

/** The revocations that refuse the tokens of a viewer, and until when. */
export function ViewerMarks({ viewerId }: { viewerId: string }) {
  const api = useApi();
  const [lifted, setLifted] = useState<Mark | null>(null);
  const query = { viewerId, limit: shownMarks };
  const { data, error, refetch } = useQuery(reading(api, '/api/v1/marks', { query }));
  useLiveRefresh(
    () => void refetch(),
    ({ topic }) => topic === 'lease' || topic === 'missed',
  );
  const columns = useMemo(() => markColumns(setLifted), []);
  return (
    <Section title="Refused tokens">
      <DataTable
        label="Refused tokens of this viewer"
        columns={columns}
        list={{ rows: error ? undefined : data?.marks, error, reload: () => void refetch() }}
        empty={
          <EmptyState icon="check" title="No token is refused">
            No revocation of this viewer refuses its tokens. A revocation of a whole content does so for all
            viewers.
          </EmptyState>
        }
      />
      {lifted && <LiftDialog mark={lifted} onClose={() => setLifted(null)} />}
    </Section>
  );
}

function markColumns(lift: (mark: Mark) => void): Column<Mark>[] {
  return [
    {
      header: 'Content',
      cell: ({ contentId }) =>
        contentId === null ? 'all content' : <Link href={`/content/${contentId}`}>{contentId}</Link>,
    },
    timeColumn('Tokens issued before', '12rem', ({ markedAt }) => markedAt),
    {
      header: 'Tokens refused until',
      width: '12rem',
      cell: ({ lapsesAt }) => (lapsesAt === null ? 'you accept them' : <RelativeTime at={lapsesAt} />),
    },
    {
      header: 'Accept them again',
      isHeaderHidden: true,
      width: '10rem',
      cell: (mark) => (
        <Button variant="default" size="compact-sm" onClick={() => lift(mark)}>
          Accept again…
        </Button>
      ),
    },
  ];
}

export function LiftDialog({ mark, onClose }: { mark: Mark; onClose: () => void }) {
  const api = useApi();
  const lift = useServerAction({
    mutationFn: () => api.call('delete', '/api/v1/marks/{id}', { params: { path: { id: mark.id } } }),
    changes: ['/api/v1/marks'],
    said: 'Tokens accepted again',
    onSuccess: onClose,
  });
  return (
    <ActionDialog
      title="Accept these tokens again"
      action="Accept the tokens"
      act={lift}
      isCancelFirst
      onClose={onClose}
    >
      <p>
        Tokens that viewer <OutsideText text={mark.viewerId ?? 'all'} /> was issued before the revocation are
        accepted again, for {mark.contentId === null ? 'all content' : <OutsideText text={mark.contentId} />},
        unless another revocation refuses them. Revoked leases stay revoked: the player requests a new one.
      </p>
    </ActionDialog>
  );
}
