import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Refusal } from '../../api/resources.ts';
import cell from '../../components/cell.module.css';
import type { Column } from '../../components/data-table.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { timeColumn } from '../../components/times.tsx';
import { viewerAddress } from '../viewers/viewer-address.ts';

/** Several refusals may have one request ID. */
export const idOfRefusal = ({ requestId, at, code }: Refusal) => `${requestId} ${at} ${code}`;

export const refusalColumns: readonly Column<Refusal>[] = [
  {
    header: 'Refused with',
    cell: ({ code, status, kind }) => (
      <span className={cell.stack}>
        <code>{code}</code>
        <small>
          {status}, {kind}
        </small>
      </span>
    ),
  },
  {
    header: 'Viewer',
    width: '19%',
    cell: ({ viewerId, apiKeyId, leaseId }) => {
      if (viewerId !== null)
        return (
          <Link href={viewerAddress(viewerId)}>
            <OutsideText text={viewerId} />
          </Link>
        );
      if (apiKeyId !== null) return 'an API key';
      return <span className="quiet">{leaseId === null ? 'not known' : 'by a session or lease'}</span>;
    },
  },
  {
    header: 'Content',
    width: '17%',
    cell: ({ contentId, epoch }) =>
      contentId === null ? (
        <span className="quiet">not named</span>
      ) : (
        <span className={cell.stack}>
          <Link href={`/content/${contentId}`}>{contentId}</Link>
          {epoch !== null && <small>epoch {epoch}</small>}
        </span>
      ),
  },
  {
    header: 'From, request',
    width: '22%',
    cell: ({ clientIp, requestId, process }) => (
      <span className={cell.stack}>
        <span>{clientIp}</span>
        <small title={process}>{requestId}</small>
      </span>
    ),
  },
  timeColumn('When', '7.5rem', ({ at }) => at),
];

/** On the page of a viewer. */
export const refusalColumnsOfViewer = refusalColumns.filter(({ header }) => header !== 'Viewer');

export function explainColumn(explain: (refusal: Refusal) => void): Column<Refusal> {
  return {
    header: 'Explain',
    isHeaderHidden: true,
    width: '6.5rem',
    cell: (refusal) => (
      <Button variant="default" size="compact-sm" onClick={() => explain(refusal)}>
        Explain
        <span className="visually-hidden">
          {` ${refusal.code} of ${refusal.viewerId ?? refusal.requestId}`}
        </span>
      </Button>
    ),
  };
}
