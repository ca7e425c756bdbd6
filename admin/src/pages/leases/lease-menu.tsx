import { ActionIcon, Menu } from '@mantine/core';
import type { Lease } from '../../api/resources.ts';
import { Icon } from '../../components/icon.tsx';
import type { BeginRevoking } from './act.ts';
import type { LeaseFilter } from './lease-filter.ts';

export interface LeaseMenuProps {
  lease: Lease;
  open: (leaseId: string) => void;
  narrow: (part: Partial<LeaseFilter>) => void;
  revoke: BeginRevoking;
}

/** What can be done with one lease, and with those like it. */
export function LeaseMenu({ lease, open, narrow, revoke }: LeaseMenuProps) {
  const { id, viewerId, contentId, revokedAt } = lease;
  const stop = <Icon name="stop" size={17} />;
  return (
    <Menu position="bottom-end" width="17rem">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${viewerId} on ${contentId}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="info" size={17} />} onClick={() => open(id)}>
          Details
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="person" size={17} />} onClick={() => narrow({ viewerId })}>
          Only this viewer
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="film" size={17} />} onClick={() => narrow({ contentId })}>
          Only this content
        </Menu.Item>
        <Menu.Divider />
        {revokedAt === null && (
          <Menu.Item color="bad" leftSection={stop} onClick={() => revoke({ lease })}>
            Revoke this lease…
          </Menu.Item>
        )}
        <Menu.Item color="bad" leftSection={stop} onClick={() => revoke({ viewerId, contentId })}>
          Revoke this viewer on this content…
        </Menu.Item>
        <Menu.Item color="bad" leftSection={stop} onClick={() => revoke({ viewerId })}>
          Revoke every lease of this viewer…
        </Menu.Item>
        <Menu.Item color="bad" leftSection={stop} onClick={() => revoke({ contentId })}>
          Revoke every lease of this content…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
