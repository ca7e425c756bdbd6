import type { Lease } from '../../api/schema.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { useApi } from '../../session/app-context.ts';
import type { LeaseQuery } from './lease-filter.ts';
import { uncounted } from './use-lease-page.ts';

/** Header and member of each column. */
const exported = {
  id: 'id',
  viewer: 'viewerId',
  content: 'contentId',
  device: 'deviceId',
  kind: 'kind',
  state: 'state',
  created_at: 'createdAt',
  renewed_at: 'renewedAt',
  expires_at: 'expiresAt',
  revoked_at: 'revokedAt',
  revoked_by: 'revokedBy',
  reason: 'reason',
} as const satisfies Record<string, keyof Lease>;

/** Saves the leases that the filter matches. */
export function LeaseExport({ query }: { query: LeaseQuery }) {
  const api = useApi();
  return (
    <CsvExport<Lease>
      noun="lease"
      fileName="leases"
      columns={exported}
      read={async (cursor, limit, signal) => {
        const params = { query: { ...query, limit, cursor }, ...uncounted };
        const { leases, next_cursor: next } = await api.call('get', '/api/v1/leases', { params, signal });
        return { rows: leases, next };
      }}
    />
  );
}
