import type { Lease } from '../../api/schema.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { useApi } from '../../session/app-context.ts';
import { type LeaseFilter, toLeaseQuery } from './lease-filter.ts';
import { uncounted } from './use-lease-page.ts';

const exported = [
  ['id', ({ id }: Lease) => id],
  ['viewer', ({ viewerId }: Lease) => viewerId],
  ['content', ({ contentId }: Lease) => contentId],
  ['device', ({ deviceId }: Lease) => deviceId],
  ['kind', ({ kind }: Lease) => kind],
  ['state', ({ state }: Lease) => state],
  ['created_at', ({ createdAt }: Lease) => createdAt],
  ['renewed_at', ({ renewedAt }: Lease) => renewedAt],
  ['expires_at', ({ expiresAt }: Lease) => expiresAt],
  ['revoked_at', ({ revokedAt }: Lease) => revokedAt],
  ['revoked_by', ({ revokedBy }: Lease) => revokedBy],
  ['reason', ({ reason }: Lease) => reason],
] as const;

/** The most that the server gives at once. */
const rowsAtOnce = 500;

/** Saves the leases that the filter matches. */
export function LeaseExport({ filter }: { filter: LeaseFilter }) {
  const api = useApi();
  const query = { ...toLeaseQuery(filter), limit: rowsAtOnce };
  return (
    <CsvExport
      noun="lease"
      fileName="leases"
      columns={exported}
      read={async (cursor, signal) => {
        const params = { query: { ...query, cursor }, ...uncounted };
        const { leases, next_cursor: next } = await api.call('get', '/api/v1/leases', { params, signal });
        return { rows: leases, next };
      }}
    />
  );
}
