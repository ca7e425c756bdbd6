import { ActionIcon, Badge, Menu } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { readContent } from '../../api/contents.ts';
import type { Content, ContentStatus } from '../../api/resources.ts';
import { useCopy } from '../../components/copying.tsx';
import type { Column } from '../../components/data-table.tsx';
import { NotSet } from '../../components/fact-list.tsx';
import { formatSize } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi } from '../../session/app-context.ts';
import styles from './content.module.css';
import type { ShowDialog } from './current-dialog.tsx';
import { keyUrlOf } from './key-facts.ts';
import { useManagement } from './use-management.ts';

export function contentColumns(showDialog: ShowDialog): Column<Content>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      cell: ({ id, name }) => (
        <span className={styles.identity}>
          <Link href={`/content/${id}`} className={styles.name}>
            <bdi>{name}</bdi>
          </Link>
          <code className={styles.id}>{id}</code>
        </span>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      width: '7.5rem',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    { id: 'keyVersion', header: 'Key version', width: '7rem', cell: ({ keyVersion }) => keyVersion },
    {
      id: 'size',
      header: 'Size',
      width: '7rem',
      cell: ({ sizeBytes }) => (sizeBytes === null ? <NotSet /> : formatSize(sizeBytes)),
    },
    {
      id: 'updated',
      header: 'Changed',
      width: '8.5rem',
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
    {
      id: 'created',
      header: 'Registered',
      width: '8.5rem',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'acts',
      header: 'Actions',
      isHeaderHidden: true,
      width: '3.75rem',
      cell: (content) => <ContentMenu content={content} showDialog={showDialog} />,
    },
  ];
}

/** Actions for one content. */
function ContentMenu({ content, showDialog }: { content: Content; showDialog: ShowDialog }) {
  const api = useApi();
  const [, navigate] = useLocation();
  const { copy } = useCopy();
  const { mayManage, enable } = useManagement();
  const { id, name, status } = content;
  const copyKeyUrl = () =>
    readContent(api, id).then(
      ({ key_endpoint }) => copy(keyUrlOf(key_endpoint, window.location.origin, null), 'Key URL'),
      // The page of the content shows the error.
      () => navigate(`/content/${id}`),
    );
  return (
    <Menu position="bottom-end" width="12rem">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="info" size={17} />} onClick={() => navigate(`/content/${id}`)}>
          Details
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="copy" size={17} />} onClick={copyKeyUrl}>
          Copy key URL
        </Menu.Item>
        {mayManage && (
          <Menu.Item
            leftSection={<Icon name="pencil" size={17} />}
            onClick={() => showDialog({ kind: 'edit', content })}
          >
            Edit…
          </Menu.Item>
        )}
        {mayManage && status === 'active' && (
          <Menu.Item
            color="bad"
            leftSection={<Icon name="stop" size={17} />}
            onClick={() => showDialog({ kind: 'disable', content })}
          >
            Disable…
          </Menu.Item>
        )}
        {mayManage && status === 'disabled' && (
          <Menu.Item leftSection={<Icon name="check" size={17} />} onClick={() => enable.mutate(id)}>
            Enable
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

export function StatusBadge({ status }: { status: ContentStatus }) {
  return status === 'active' ? <Badge color="good">Active</Badge> : <Badge color="warn">Disabled</Badge>;
}
