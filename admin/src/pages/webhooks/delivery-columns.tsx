import type { WebhookDelivery } from '../../api/schema.ts';
import cell from '../../components/cell.module.css';
import type { Column } from '../../components/data-table.tsx';
import { NotSet } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { RelativeTime } from '../../components/times.tsx';
import { DeliveryBadge } from './webhook-status.tsx';
import { describeLastTry, nameOfEvent } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** @param open shows a delivery with its payload */
export function deliveryColumns(open: (delivery: WebhookDelivery) => void): Column<WebhookDelivery>[] {
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
        </span>
      ),
    },
    { header: 'State', width: '8rem', cell: ({ state }) => <DeliveryBadge state={state} /> },
    { header: 'Tries', width: '5rem', cell: ({ tries }) => formatCount(tries) },
    {
      header: 'Last answer',
      width: '18rem',
      cell: (delivery) => <span className={styles.answer}>{describeLastTry(delivery) ?? <NotSet />}</span>,
    },
    {
      header: 'Next try',
      width: '8.5rem',
      cell: ({ nextTryAt }) => (nextTryAt === null ? <NotSet /> : <RelativeTime at={nextTryAt} />),
    },
  ];
}
