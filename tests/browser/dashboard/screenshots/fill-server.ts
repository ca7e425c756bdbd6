import { DatabaseSync } from 'node:sqlite';
import { viewerToken } from '@latchkey/support/tokens';
import { apiKeys, devices, disabledFilm, films, playlistOrigin, revocations, viewers } from './catalogue.ts';

export interface FilledServer {
  url: string;
  adminKey: string;
  /** The bytes of AUTH_JWT_SECRET. */
  secret: Buffer;
  sqlitePath: string;
}

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const megabyte = 1_000_000;

/** Number of leases of a viewer: some viewers use two screens. */
const screensOf = (index: number) => (index % 3 === 0 ? 2 : 1);

/** The second screen of some viewers is a receiver, which gets a URL. */
const playsSession = (index: number, screen: number) => screen === 1 && index % 6 === 0;

/** Fills a new server with data as if it had been in use for a year. */
export async function fillServer({ url, adminKey, secret, sqlitePath }: FilledServer): Promise<void> {
  const ask = createAsk(url);
  for (const [id, name, sizeMB] of films)
    await ask('POST', '/api/v1/content', adminKey, {
      id,
      name,
      sizeBytes: sizeMB * megabyte,
      manifestKey: `content/${id}/master.m3u8`,
      playlistUrl: `${playlistOrigin}/content/${id}/master.m3u8`,
      keyPeriods: { mode: 'sequence', count: 96, periodSeconds: 60.06 },
      metadata: { language: 'en', season: id.includes('s1e') ? 1 : null },
    });
  await ask('DELETE', `/api/v1/content/${disabledFilm}`, adminKey);
  for (const { name, scope, expiresInDays } of apiKeys) {
    const expiresAt = expiresInDays && new Date(Date.now() + expiresInDays * dayMs).toISOString();
    await ask('POST', '/api/v1/api-keys', adminKey, { name, scope, ...(expiresAt ? { expiresAt } : {}) });
  }
  for (const [index, viewerId] of viewers.entries()) {
    const token = viewerToken(secret, viewerId);
    for (let screen = 0; screen < screensOf(index); screen++) {
      const contentId = films[(index * 5 + screen * 3) % (films.length - 1)]?.[0];
      if (playsSession(index, screen)) {
        await ask('POST', '/keys/sessions', token, { contentId, deviceId: 'Apple TV' });
        continue;
      }
      await ask('POST', '/keys/leases', token, {
        contentId,
        deviceId: devices[(index + screen) % devices.length],
      });
      await ask('GET', `/keys/${contentId}/0`, token);
    }
  }
  for (const [selector, reason] of revocations)
    await ask('POST', '/keys/leases/revoke', adminKey, { ...selector, reason });
  // Who was revoked asks again with the same token, for the refusals.
  for (const [index, [{ viewerId = '' }]] of revocations.entries())
    for (const [contentId] of films.slice(index, index + 3))
      await ask('GET', `/keys/${contentId}/0`, viewerToken(secret, viewerId));
  // An unknown key is refused, for the audit.
  await ask('GET', '/api/v1/content', `lk_${'0'.repeat(64)}`);
  ageRows(sqlitePath, Date.now());
}

function createAsk(url: string) {
  return async (method: string, path: string, credential: string, body?: unknown): Promise<void> => {
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
    const init =
      body === undefined
        ? { method, headers: { authorization: headers.authorization } }
        : { method, headers, body: JSON.stringify(body) };
    const answer = await fetch(url + path, init);
    await answer.arrayBuffer();
    // Some are to be refused.
    if (!answer.ok && ![401, 403].includes(answer.status))
      throw new Error(`${method} ${path}: ${answer.status}`);
  };
}

/** Moves the rows, all created within a second, to times in the past. */
function ageRows(sqlitePath: string, now: number): void {
  const db = new DatabaseSync(sqlitePath, { timeout: 5_000 });
  db.exec('BEGIN IMMEDIATE');
  for (const { name, ageDays, usedMinutesAgo } of apiKeys) {
    const usedAt = usedMinutesAgo === undefined ? null : now - usedMinutesAgo * minuteMs;
    db.prepare('UPDATE api_keys SET created_at = ?, last_used_at = ? WHERE name = ?').run(
      now - ageDays * dayMs,
      usedAt,
      name,
    );
  }
  db.prepare(`UPDATE api_keys SET created_at = ? WHERE scope = 'admin'`).run(now - 365 * dayMs);
  for (const [index, [id]] of films.entries()) {
    const createdAt = now - (films.length - index) * 17 * dayMs;
    db.prepare('UPDATE contents SET created_at = ?, updated_at = ? WHERE id = ?').run(
      createdAt,
      createdAt + index * dayMs,
      id,
    );
  }
  // Newest first. The newest lease was created a minute ago.
  const rows = db.prepare('SELECT id FROM leases ORDER BY created_at DESC, id DESC').all();
  const lease = db.prepare('UPDATE leases SET created_at = ?, renewed_at = ?, expires_at = ? WHERE id = ?');
  for (const [index, row] of rows.entries()) {
    const createdAt = now - (1 + index * 1.7) * minuteMs;
    // Most are renewed during playback. Some have ended because the playback stopped.
    const expiresAt =
      index % 8 === 5 ? now - index * minuteMs : now + 5 * minuteMs - ((index * 37) % 140) * 1_000;
    lease.run(createdAt, expiresAt - 5 * minuteMs, expiresAt, String(row.id));
  }
  db.prepare('UPDATE sessions SET used_at = ? - (rowid % 4) * 40000').run(now - minuteMs);
  db.prepare('UPDATE audit SET at = ? - (SELECT max(number) FROM audit) * 420000 + number * 420000').run(now);
  db.exec('COMMIT');
  db.close();
}
