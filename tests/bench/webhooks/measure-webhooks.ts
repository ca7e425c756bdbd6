import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { createCleanup } from '../cleanup.ts';
import type { DatabaseName } from '../revocation/measure-revocation.ts';
import { adminKey, becomesReady, call, startSingleNode } from '../servers.ts';
import { contentId, type DrivenActs, driveActs } from './drive-acts.ts';
import { type Receivers, startReceivers } from './receivers.ts';

interface WebhookOptions {
  webhooks: number;
  /** Of each load. */
  seconds: number;
  say: (line: string) => void;
}

/** One load, and what came of it. */
export interface WebhookSample {
  database: DatabaseName;
  /** How many webhooks there were, and how many of their receivers left every message without an answer. */
  webhooks: number;
  hanging: number;
  acts: DrivenActs;
  /** From the answer to each revocation until each receiver that answers had its message. */
  delaysMs: number[];
  /** Messages that did not come. */
  missing: number;
}

/** Longer than a message takes after its act, by far. */
const arrivalLimitMs = 60_000;
const lookEveryMs = 100;

/**
 * The same load on one process without webhooks, with some, and with half of their receivers hanging.
 *
 * @throws Error if Postgres is not installed, or a request fails
 */
export async function measureWebhooks(
  database: DatabaseName,
  { webhooks, seconds, say }: WebhookOptions,
): Promise<WebhookSample[]> {
  const cleanup = createCleanup();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-webhooks-'));
    cleanup.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    const postgres = database === 'Postgres' ? cleanup.add(await startOwnPostgres()) : null;
    const receivers = cleanup.add(await startReceivers());
    const place = postgres ? { DATABASE_URL: postgres.url } : { SQLITE_PATH: join(folder, 'latchkey.db') };
    const settings = { WEBHOOK_ORIGINS: receivers.origin };
    const { url } = cleanup.add(await startSingleNode(place, 'Latchkey', settings));
    await becomesReady(url);
    await call(url, 'POST', '/api/v1/content', adminKey, { id: contentId, name: 'Film' });
    const load = async (count: number, hanging: number) => {
      say(`${database}: ${seconds} s with ${count} webhooks, of which ${hanging} hang`);
      for (let n = 0; n < hanging; n++) receivers.hanging.add(n);
      const acts = await driveActs(url, seconds);
      const { delaysMs, missing } = await collect(receivers, acts, count);
      return { database, webhooks: count, hanging, acts, delaysMs, missing };
    };
    const without = await load(0, 0);
    for (let n = 0; n < webhooks; n++) await addWebhook(url, n, receivers.origin);
    const all = await load(webhooks, 0);
    return [without, all, await load(webhooks, Math.floor(webhooks / 2))];
  } finally {
    await cleanup.run();
  }
}

async function addWebhook(url: string, n: number, origin: string): Promise<void> {
  const webhook = { name: `receiver ${n}`, url: `${origin}/hooks/${n}`, events: ['lease.revoked'] };
  await call(url, 'POST', '/api/v1/webhooks', adminKey, webhook);
}

async function collect(receivers: Receivers, { answeredAt }: DrivenActs, webhooks: number) {
  const expected = answeredAt.size * (webhooks - receivers.hanging.size);
  const read = () =>
    [...answeredAt].flatMap(([lease, at]) =>
      [...(receivers.arrivals.get(lease)?.values() ?? [])].map((cameAt) => cameAt - at),
    );
  const deadline = performance.now() + arrivalLimitMs;
  while (webhooks > 0 && read().length < expected && performance.now() < deadline) await pause(lookEveryMs);
  const delaysMs = webhooks > 0 ? read() : [];
  return { delaysMs, missing: webhooks > 0 ? expected - delaysMs.length : 0 };
}
