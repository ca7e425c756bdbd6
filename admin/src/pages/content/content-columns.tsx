import { Link, useLocation } from 'wouter';
import type { Content } from '../../api/schema.ts';
import { StatusBadge } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import { byCreation } from '../../components/column-sort.ts';
import { useCopy } from '../../components/copying.tsx';
import type { Column } from '../../components/data-table.tsx';
import { NotSet } from '../../components/fact-list.tsx';
import { formatSize } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { actionsColumn, RowAction, RowMenu } from '../../components/row-menu.tsx';
import { keyUrlOf } from '../../components/snippets.ts';
import { timeColumn } from '../../components/times.tsx';
import { useApp } from '../../session/app-context.ts';
import type { ShowDialog } from './content-dialogs.tsx';
import { useManagement } from './use-management.ts';

export function contentColumns(showDialog: ShowDialog): Column<Content>[] {
  return [
    {
      header: 'Name',
      sort: { name: 'A to Z', '-name': 'Z to A' },
      cell: ({ id, name }) => (
        <span className={cell.identity}>
          <Link href={`/content/${id}`} className={cell.name}>
            <OutsideText text={name} />
          </Link>
          <code className="cut quiet">{id}</code>
        </span>
      ),
    },
    { header: 'Status', width: '7.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
    { header: 'Key version', width: '7rem', cell: ({ keyVersion }) => keyVersion },
    {
      header: 'Size',
      width: '7rem',
      cell: ({ sizeBytes }) => (sizeBytes === null ? <NotSet /> : formatSize(sizeBytes)),
    },
    timeColumn('Changed', '8.5rem', ({ updatedAt }) => updatedAt),
    timeColumn('Registered', '8.5rem', ({ createdAt }) => createdAt, byCreation),
    actionsColumn((content) => (
      <RowMenu name={content.name} width="12rem">
        <ContentActions content={content} showDialog={showDialog} />
      </RowMenu>
    )),
  ];
}

/** Apart, so that what they need is made for an open menu and not for each row. */
function ContentActions({ content, showDialog }: { content: Content; showDialog: ShowDialog }) {
  const { api, serverUrl } = useApp();
  const [, navigate] = useLocation();
  const { copy } = useCopy();
  const { mayManage, enable } = useManagement();
  const { id, status } = content;
  const copyKeyUrl = () =>
    api.call('get', '/api/v1/content/{id}', { params: { path: { id } } }).then(
      ({ key_endpoint }) => copy(keyUrlOf(key_endpoint, serverUrl, null), 'Key URL'),
      // The page of the content shows the error.
      () => navigate(`/content/${id}`),
    );
  return (
    <>
      <RowAction icon="info" onClick={() => navigate(`/content/${id}`)}>
        Details
      </RowAction>
      <RowAction icon="copy" onClick={copyKeyUrl}>
        Copy key URL
      </RowAction>
      {mayManage && (
        <RowAction icon="pencil" onClick={() => showDialog({ kind: 'form', content })}>
          Edit…
        </RowAction>
      )}
      {mayManage && status === 'active' && (
        <RowAction icon="stop" isHarmful onClick={() => showDialog({ kind: 'disable', content })}>
          Disable…
        </RowAction>
      )}
      {mayManage && status === 'disabled' && (
        <RowAction icon="check" onClick={() => enable.mutate(id)}>
          Enable
        </RowAction>
      )}
    </>
  );
}
