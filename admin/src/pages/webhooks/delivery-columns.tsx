import { StatusBadge } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import type { Column } from '../../components/data-table.tsx';
import { NotSet } from '../../components/fact-list.tsx';
import { countOf, formatCount } from '../../components/format-numbers.ts';
import { Countdown, RelativeTime } from '../../components/times.tsx';
import type { DeliveryRow } from './group-deliveries.ts';
import { describeLastTry, nameOfEvent } from './webhook-words.ts';
import styles from './webhooks.module.css';

interface ColumnOptions {
  /** Shows a delivery with its payload. */
  open: (delivery: DeliveryRow) => void;
  /** Shows the deliveries that are grouped with it. */
  showAlike: (delivery: DeliveryRow) => void;
}

export function deliveryColumns({ open, showAlike }: ColumnOptions): Column<DeliveryRow>[] {
  return [
    {
      header: 'Event',
      cell: (delivery) => (
        <span className={cell.stack}>
          <button type="button" className={cell.name} onClick={() => open(delivery)}>
            {nameOfEvent(delivery.type)}
          </button>
          <small>
            <RelativeTime at={delivery.createdAt} />
          </small>
          {delivery.alike > 0 && (
            <button type="button" className={styles.alike} onClick={() => showAlike(delivery)}>
              Show {countOf(delivery.alike, 'earlier one')} with the same failure
            </button>
          )}
        </span>
      ),
    },
    { header: 'State', width: '8rem', cell: ({ state }) => <StatusBadge status={state} /> },
    { header: 'Tries', width: '5rem', cell: ({ tries }) => formatCount(tries) },
    {
      header: 'Last answer',
      width: '18rem',
      cell: (delivery) => <span className={styles.answer}>{describeLastTry(delivery) ?? <NotSet />}</span>,
    },
    {
      header: 'Next try',
      width: '8.5rem',
      cell: ({ nextTryAt }) => (nextTryAt === null ? <NotSet /> : <Countdown at={nextTryAt} ended="now" />),
    },
  ];
}
