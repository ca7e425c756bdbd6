import type { WebhookRow } from './webhook.ts';

/** Numbers of the audit during which a webhook was not active: those after the first, up to the second; null while it lasts. */
type InactiveSpan = readonly [after: number, upTo: number | null];

/** More than anyone begins and ends in the seconds in which a row of the audit is still to be read. */
const keptSpans = 50;

const read = (deaf: string): readonly InactiveSpan[] => JSON.parse(deaf);
const write = (spans: readonly InactiveSpan[]) => JSON.stringify(spans.slice(-keptSpans));

export const beginInactiveSpan = (deaf: string, after: number): string =>
  write([...read(deaf), [after, null]]);

/** Without a span that lasts, everything up to there was not heard: the webhook is new, or its receiver paused it. */
export function endInactiveSpan(deaf: string, upTo: number): string {
  const spans = read(deaf);
  const [after, end] = spans.at(-1) ?? [0, 0];
  return write(end === null ? [...spans.slice(0, -1), [after, upTo]] : [...spans, [0, upTo]]);
}

/** @returns whether the webhook gets the event of a row of the audit: it was active then */
export function activityOf({
  status,
  deaf,
}: Pick<WebhookRow, 'status' | 'deaf'>): (number: number) => boolean {
  const spans = read(deaf);
  // A receiver that wants no more says so without a row of the audit.
  if (status !== 'active' && spans.at(-1)?.[1] !== null) return () => false;
  return (number) => !spans.some(([after, upTo]) => number > after && (upTo === null || number <= upTo));
}
