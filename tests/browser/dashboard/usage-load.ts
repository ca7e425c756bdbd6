import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const minuteMs = 60_000;
const minutes = 180;

interface Load {
  contentId: string;
  /** A second content. */
  other: string;
  apiKeyId: string;
}

/**
 * Writes three hours of a known load, up to two minutes ago: 10 requests a minute, one of them refused, by 12 viewers on two contents.
 *
 * @param folder with the database of the server
 */
export function writeLoad(folder: string, { contentId, other, apiKeyId }: Load): void {
  const db = new DatabaseSync(join(folder, 'latchkey.db'));
  db.exec('PRAGMA busy_timeout = 10000');
  const insert = db.prepare(`INSERT INTO usage_counts (span, requests, kind, at, series, served, refused)
    VALUES (?, 'keys', ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET served = served + excluded.served, refused = refused + excluded.refused`);
  const present = Date.now() - (Date.now() % minuteMs);
  db.exec('BEGIN');
  for (let ago = minutes; ago >= 2; ago--) {
    const minute = present - ago * minuteMs;
    for (const span of [60, 600, 3_600]) {
      const at = minute - (minute % (span * 1_000));
      const add = (kind: string, series: string, served: number, refused: number) =>
        insert.run(span, kind, at, series, served, refused);
      add('total', '', 9, 1);
      add('code', ago % 3 === 0 ? 'LEASE_REVOKED' : 'CONTENT_NOT_ENTITLED', 0, 1);
      add('content', contentId, 6, 1);
      add('content', other, 3, 0);
      for (let n = 0; n < 9; n++) add('viewer', `viewer-${n}`, n === 0 ? 1 : 0, n === 8 ? 1 : 0);
      add('viewer', 'ada', 4, 0);
      add('viewer', '', 4, 0);
      add('api-key', apiKeyId, 2, 0);
    }
  }
  db.exec('COMMIT');
  db.close();
}
