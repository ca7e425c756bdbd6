import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { keyOf, reading } from '../../api/api.ts';
import type { Mark } from '../../api/schema.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import content from '../content/content.module.css';

/** More are on no page: a viewer with so many revocations has one for all contents. */
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
    <section aria-labelledby="viewer-marks">
      <div className={content.leases}>
        <h2 id="viewer-marks">Marks</h2>
      </div>
      <DataTable
        label="Marks of this viewer"
        columns={columns}
        rows={error ? undefined : data?.marks}
        rowId={({ id }) => id}
        empty={
          <EmptyState icon="check" title="No marks">
            No revocation of this viewer holds against its tokens. A revocation of a whole content does so for
            all viewers.
          </EmptyState>
        }
        error={error}
        onRetry={() => refetch()}
      />
      {lifted && <LiftDialog mark={lifted} onClose={() => setLifted(null)} />}
    </section>
  );
}

function markColumns(lift: (mark: Mark) => void): Column<Mark>[] {
  return [
    {
      id: 'content',
      header: 'Holds for',
      cell: ({ contentId }) =>
        contentId === null ? 'all content' : <Link href={`/content/${contentId}`}>{contentId}</Link>,
    },
    {
      id: 'marked',
      header: 'Refuses tokens from before',
      width: '14rem',
      cell: ({ markedAt }) => <RelativeTime at={markedAt} />,
    },
    {
      id: 'lapses',
      header: 'Lapses',
      width: '10rem',
      cell: ({ lapsesAt }) => (lapsesAt === null ? 'Never' : <RelativeTime at={lapsesAt} />),
    },
    {
      id: 'lift',
      header: 'Lift',
      isHeaderHidden: true,
      width: '6rem',
      cell: (mark) => (
        <Button variant="default" size="compact-sm" onClick={() => lift(mark)}>
          Lift…
        </Button>
      ),
    },
  ];
}

function LiftDialog({ mark, onClose }: { mark: Mark; onClose: () => void }) {
  const api = useApi();
  const { announce } = useApp().toasts;
  const queries = useQueryClient();
  const lift = useServerAction({
    mutationFn: () => api.call('delete', '/api/v1/marks/{id}', { params: { path: { id: mark.id } } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keyOf('/api/v1/marks') });
      announce('Mark lifted');
      onClose();
    },
  });
  return (
    <Dialog title="Lift this mark" onClose={onClose}>
      <p>
        Tokens that viewer <OutsideText text={mark.viewerId ?? 'all'} /> was issued before the revocation are
        accepted again, for {mark.contentId === null ? 'all content' : <OutsideText text={mark.contentId} />},
        unless another mark holds. Revoked leases stay revoked: the player requests a new one.
      </p>
      <ErrorNotice error={lift.error} />
      <DialogActions onCancel={onClose} isCancelFirst>
        <Button onClick={() => lift.mutate()} loading={lift.isPending}>
          Lift the mark
        </Button>
      </DialogActions>
    </Dialog>
  );
}
