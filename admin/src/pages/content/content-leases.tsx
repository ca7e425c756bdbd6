import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { Section } from '../../components/section.tsx';
import { ActiveCount, useLeaseCounts } from '../leases/active-count.tsx';
import { leaseColumns } from '../leases/lease-columns.tsx';
import { addressOf } from '../leases/lease-filter.ts';
import { RevokeDialog } from '../leases/revoke-dialog.tsx';
import { useLeasePage } from '../leases/use-lease-page.ts';

/** A short list: the Leases page has all of them. */
const shownLeases = 8;

/** The active leases of a content, updated live. */
export function ContentLeases({ contentId }: { contentId: string }) {
  const [, navigate] = useLocation();
  const [isRevoking, setRevoking] = useState(false);
  const page = useLeasePage({ contentId, state: 'active', limit: shownLeases }, null);
  const counts = useLeaseCounts({ contentId }, page);
  const columns = useMemo(() => {
    const open = (leaseId: string) => navigate(`${addressOf({ content: contentId })}&lease=${leaseId}`);
    return leaseColumns(open).filter(({ header }) => header !== 'Content');
  }, [navigate, contentId]);
  return (
    <Section
      title="Leases"
      aside={
        <>
          <Link href={addressOf({ content: contentId })}>All of this content</Link>
          <Button variant="light" color="bad" size="compact-md" onClick={() => setRevoking(true)}>
            Revoke every lease of this content…
          </Button>
        </>
      }
    >
      <ResourceList
        label="Active leases of this content"
        noun="lease"
        columns={columns}
        list={page}
        bar={<ActiveCount {...counts} />}
        empty={
          <EmptyState icon="clock" title="No active leases">
            New leases appear here at once.
          </EmptyState>
        }
      />
      {isRevoking && <RevokeDialog subject={{ contentId }} onClose={() => setRevoking(false)} />}
    </Section>
  );
}
