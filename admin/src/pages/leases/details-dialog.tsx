import { Box, Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { reading } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Lease } from '../../api/schema.ts';
import { CopyableValue } from '../../components/copying.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { FactList, type Facts, NotSet } from '../../components/fact-list.tsx';
import { formatExact } from '../../components/format-time.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { useApi } from '../../session/app-context.ts';
import { History } from '../audit/history.tsx';
import { viewerAddress } from '../viewers/viewer-address.ts';
import type { OpenRevocation } from './describe-revocation.tsx';
import { addressOf } from './lease-filter.ts';
import { useLeaseNews } from './lease-news.ts';
import { LeaseEnd, LeaseStateBadge, useLeaseStatus } from './lease-status.tsx';

interface DetailsDialogProps {
  leaseId: string;
  revoke: OpenRevocation;
  onClose: () => void;
}

const newsMs = 300;

/** All details of a lease, kept up to date while the dialog is open. */
export function DetailsDialog({ leaseId, revoke, onClose }: DetailsDialogProps) {
  const api = useApi();
  const { data, error, refetch } = useQuery(reading(api, '/api/v1/leases/{id}', { path: { id: leaseId } }));
  useLeaseNews(newsMs, true, (news) => {
    // The event of a bulk revocation does not name its leases.
    if (news.some((one) => !('lease' in one) || one.lease.id === leaseId)) void refetch();
  });
  const isUnknown = error instanceof ApiError && error.code === 'LEASE_NOT_FOUND';
  return (
    <Dialog title="Lease" onClose={onClose} width="38rem">
      {isUnknown && (
        <EmptyState icon="search" title="No such lease">
          Ended leases are removed after a while.
        </EmptyState>
      )}
      {!isUnknown && error && <ErrorState error={error} onRetry={() => refetch()} />}
      {!error && !data && <Skeleton width="100%" height="20rem" />}
      {!error && data && <Details lease={data.lease} revoke={revoke} />}
    </Dialog>
  );
}

const sessionKind = 'Session: a URL that plays without a token';

const revokers = {
  viewer: 'by the viewer, who returned it',
  management: 'by management',
  limit: 'by the lease limit of its viewer: a newer lease took its place',
};

function Details({ lease, revoke }: { lease: Lease; revoke: OpenRevocation }) {
  const { id, viewerId, contentId, deviceId, kind, createdAt, renewedAt, lastUsedAt, expiresAt } = lease;
  const { revokedAt, revokedBy, reason } = lease;
  const isActive = useLeaseStatus(lease) === 'active';
  const facts: Facts = {
    State: <LeaseStateBadge lease={lease} />,
    Viewer: <CopyableValue text={viewerId} what="Viewer ID" />,
    Content: <Link href={`/content/${contentId}`}>{contentId}</Link>,
    Device: deviceId === null ? <NotSet /> : <OutsideText text={deviceId} />,
    Kind: kind === 'player' ? 'Player: sends a token with each key request' : sessionKind,
    'Last used':
      kind === 'session' && (lastUsedAt ? <RelativeTime at={lastUsedAt} isFocusable /> : 'not yet'),
    ID: <CopyableValue text={id} what="ID" />,
    Created: formatExact(createdAt),
    Renewed: formatExact(renewedAt),
    Expires: formatExact(expiresAt),
    'Time left': isActive && <LeaseEnd lease={lease} isFocusable />,
    Revoked: revokedAt && `${formatExact(revokedAt)}${revokedBy ? `, ${revokers[revokedBy]}` : ''}`,
    Reason: revokedAt && (reason === null ? 'none' : <OutsideText text={reason} />),
  };
  return (
    <>
      <FactList facts={facts} />
      <UnlimitedOnly>
        <Box component="h3" mt="1.25rem" mb="0.25rem" fz="1rem">
          History
        </Box>
        <History questions={[{ target: id }]} about="on this lease alone is in the audit" />
      </UnlimitedOnly>
      <DialogActions>
        <Button variant="default" component={Link} href={viewerAddress(viewerId)}>
          Viewer
        </Button>
        <Button variant="default" component={Link} href={addressOf({ viewer: viewerId })}>
          Leases of this viewer
        </Button>
        {revokedAt === null && (
          <Button color="bad" variant="light" onClick={() => revoke({ lease })}>
            Revoke…
          </Button>
        )}
      </DialogActions>
    </>
  );
}
