import { DatabaseSync } from 'node:sqlite';
import { films, viewers } from './catalogue.ts';

/** The length of intervals by which 24 hours are read, in seconds. */
const spanSeconds = 600;
const intervals = 144;

/** Key requests of an invented day, which rise towards the evening: the server has run for seconds only. */
export function inventDay(sqlitePath: string, now: number): void {
  const db = new DatabaseSync(sqlitePath, { timeout: 5_000 });
  const insert = db.prepare(
    `INSERT INTO usage_counts (span, requests, kind, at, series, served, refused) VALUES (${spanSeconds}, 'keys', ?, ?, ?, ?, ?)`,
  );
  const spanMs = spanSeconds * 1_000;
  const last = now - (now % spanMs);
  db.exec(`BEGIN IMMEDIATE; DELETE FROM usage_counts WHERE span = ${spanSeconds} AND requests = 'keys'`);
  for (let index = 0; index < intervals; index++) {
    const at = last - (intervals - index) * spanMs;
    let [served, refused] = [0, 0];
    for (const [place, [id]] of films.entries()) {
      const count = Math.round((rise(index) * 900 * (1 + 0.2 * Math.sin(index / 5 + place))) / (place + 1));
      const late = Math.round(count * (place === 2 && index > 96 && index < 104 ? 0.2 : 0.006));
      insert.run('content', at, id, count, late);
      served += count;
      refused += late;
    }
    insert.run('total', at, '', served, refused);
    const expired = Math.round(refused * 0.7);
    insert.run('code', at, 'INVALID_TOKEN', 0, expired);
    insert.run('code', at, 'LEASE_REVOKED', 0, refused - expired);
    for (const [place, viewerId] of viewers.entries())
      insert.run('viewer', at, viewerId, Math.round((served / viewers.length) * (1 + 0.1 * (place % 3))), 0);
  }
  db.exec('COMMIT');
  db.close();
}

/** From 0.2 in the first hours to 1 at the end. */
function rise(index: number): number {
  return 0.2 + 0.8 * (index / intervals) ** 2;
}

const hooks: readonly [name: string, path: string, events: readonly string[]][] = [
  ['Accounts', '/latchkey', ['lease.revoked', 'lease.limit-reached']],
  ['On-call', '/pager', ['alert.started', 'alert.ended', 'api-key.expiring']],
];

/** Webhooks as the page of webhooks shows them. Nothing happens after they are added, so nothing is sent. */
export async function addWebhooks(url: string, adminKey: string, origin: string): Promise<void> {
  for (const [name, path, events] of hooks) {
    const answer = await fetch(`${url}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, url: origin + path, events }),
    });
    if (answer.status !== 201) throw new Error(`POST /api/v1/webhooks: ${answer.status}`);
  }
}
