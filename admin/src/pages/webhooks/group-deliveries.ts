import type { WebhookDelivery } from '../../api/schema.ts';
import { describeLastTry } from './webhook-words.ts';

/** A delivery on the list, with those below it that failed in the same way and are not shown. */
export interface DeliveryRow extends WebhookDelivery {
  /** How many they are: 0 for none. */
  alike: number;
}

/**
 * Shows one of the deliveries that follow each other with the same event and the same failure: a receiver that is away fails all of
 * them.
 *
 * @param deliveries newest first
 * @param opened the ids of the first ones of groups whose rows are all shown
 */
export function groupDeliveries(
  deliveries: readonly WebhookDelivery[],
  opened: ReadonlySet<string>,
): DeliveryRow[] {
  const rows: DeliveryRow[] = [];
  let first: DeliveryRow | null = null;
  for (const delivery of deliveries) {
    const failure = failureOf(delivery);
    if (first && failure !== null && failure === failureOf(first)) {
      if (opened.has(first.id)) rows.push({ ...delivery, alike: 0 });
      else first.alike++;
      continue;
    }
    first = { ...delivery, alike: 0 };
    rows.push(first);
  }
  return rows;
}

/** Equal for the same failure of the same event; null without one. */
function failureOf(delivery: WebhookDelivery): string | null {
  const { state, type } = delivery;
  const last = describeLastTry(delivery);
  return state === 'delivered' || last === null ? null : `${state} ${type} ${last}`;
}
