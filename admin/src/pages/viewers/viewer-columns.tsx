import { Link } from 'wouter';
import type { viewerOrders } from '../../api/resources.ts';
import type { Viewer } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import type { ColumnSort } from '../../components/column-sort.ts';
import type { Column } from '../../components/data-table.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { viewerAddress } from './viewer-address.ts';

export type ViewerOrder = (typeof viewerOrders)[number];

/** The viewers that each order is about, because none but the first can look at all. */
export const rangeOfOrder: Record<ViewerOrder, string> = {
  viewerId: 'All viewers with leases.',
  '-lastSeenAt': 'Of the 20,000 leases that end last.',
  '-activeLeases': 'Of the 20,000 leases that end last: all active ones, unless more are active.',
  '-devices': 'Of the 20,000 leases that end last. A device is a device ID that a player gave.',
  '-served': 'Of the last hour: the 50 busiest viewers of each minute, and of each process.',
  '-refused': 'Of the last hour: the 50 busiest viewers of each minute, and of each process.',
  '-revokedAt': 'Of the latest 1,000 revocations and 1,000 blocks.',
};

const most = (field: string): ColumnSort => ({ [`-${field}`]: 'most first' });

export const viewerColumns: readonly Column<Viewer>[] = [
  {
    header: 'Viewer',
    cell: ({ viewerId }) => (
      <Link href={viewerAddress(viewerId)} className={cell.name}>
        <OutsideText text={viewerId} />
      </Link>
    ),
    sort: { viewerId: 'A to Z' },
  },
  {
    header: 'Active',
    width: '6rem',
    cell: ({ activeLeases }) => formatCount(activeLeases),
    sort: most('activeLeases'),
  },
  {
    header: 'Last seen',
    width: '7.5rem',
    cell: ({ lastSeenAt }) => <LastSeen at={lastSeenAt} />,
    sort: { '-lastSeenAt': 'latest first' },
  },
  { header: 'Devices', width: '6.5rem', cell: ({ devices }) => formatCount(devices), sort: most('devices') },
  {
    header: 'Keys, 1 h',
    width: '7rem',
    cell: ({ lastHour }) => <Counted count={lastHour?.served} />,
    sort: most('served'),
  },
  {
    header: 'Refused, 1 h',
    width: '8rem',
    cell: ({ lastHour }) => <Counted count={lastHour?.refused} />,
    sort: most('refused'),
  },
  {
    header: 'Revoked',
    width: '9.5rem',
    cell: (viewer) => <Revocation viewer={viewer} />,
    sort: { '-revokedAt': 'latest first' },
  },
];

/** An API key of some contents does not see the requests of the last hour. */
export const limitedViewerColumns = viewerColumns.filter(({ header }) => !header.endsWith(', 1 h'));

/** Ended leases are kept for a day. */
export function LastSeen({ at, isFocusable = false }: { at: string | null; isFocusable?: boolean }) {
  if (at !== null) return <RelativeTime at={at} isFocusable={isFocusable} />;
  return <span className="quiet">no lease kept</span>;
}

/** Requests of the last hour; undefined if they were not counted. */
export function Counted({ count }: { count: number | undefined }) {
  if (count !== undefined) return formatCount(count);
  return (
    <span className="quiet" title="None of its requests was counted by name.">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">not counted</span>
    </span>
  );
}

function Revocation({ viewer: { block, mark } }: { viewer: Viewer }) {
  if (block)
    return (
      <span className={cell.stack}>
        <Badge color="bad">Blocked</Badge>
        {block.until !== null && (
          <small>
            until <RelativeTime at={block.until} />
          </small>
        )}
      </span>
    );
  if (!mark) return <span className="quiet">no</span>;
  const end = mark.lapsesAt === null ? 'it is lifted' : <RelativeTime at={mark.lapsesAt} />;
  return (
    <span className={cell.stack}>
      <RelativeTime at={mark.markedAt} />
      <small>Tokens refused until {end}</small>
    </span>
  );
}
