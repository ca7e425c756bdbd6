import { quantile } from '../quantile.ts';
import { table } from '../table.ts';
import type { WebhookSample } from './measure-webhooks.ts';

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ms`;

/** How soon messages come, and what keys and revocations take meanwhile. */
export function reportWebhooks(samples: readonly WebhookSample[]): string {
  const rows = samples.map(({ database, webhooks, hanging, acts, delaysMs, missing }) => [
    database,
    webhooks === 0 ? 'none' : `${webhooks}, ${hanging} hang`,
    ...spread(delaysMs),
    webhooks === 0 ? '–' : `${delaysMs.length.toLocaleString('en')}, ${missing} missing`,
    ...spread(acts.keysMs).slice(1),
    ...spread(acts.revocationsMs).slice(1),
  ]);
  const head = [
    'database',
    'webhooks',
    'message after its act, p50',
    'p99',
    'longest',
    'messages',
    'key, p99',
    'longest',
    'revocation, p99',
    'longest',
  ];
  return table(head, rows);
}

/** p50, p99 and the longest. */
function spread(times: readonly number[]): string[] {
  if (times.length === 0) return ['–', '–', '–'];
  const sorted = times.toSorted((a, b) => a - b);
  return [quantile(sorted, 0.5), quantile(sorted, 0.99), sorted.at(-1) ?? Number.NaN].map(ms);
}
