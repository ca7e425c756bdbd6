import { Link } from 'wouter';
import type { Content } from '../../api/resources.ts';
import type { Column } from '../../components/data-table.tsx';
import { formatSize } from '../../components/format-size.ts';
import { NotTold } from '../../components/not-told.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { BeginAct } from './act.ts';
import styles from './content.module.css';
import { ContentMenu } from './content-menu.tsx';
import { StatusBadge } from './status-badge.tsx';

export function contentColumns(begin: BeginAct): Column<Content>[] {
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
      cell: ({ sizeBytes }) => (sizeBytes === null ? <NotTold /> : formatSize(sizeBytes)),
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
      cell: (content) => <ContentMenu content={content} begin={begin} />,
    },
  ];
}
