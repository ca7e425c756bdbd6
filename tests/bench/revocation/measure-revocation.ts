import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, migrate, openDatabase } from '@latchkey/shared/db';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import type { Run } from '../run.ts';
import { adminKey, call, startSingleNode } from '../servers.ts';
import { fillLargeContent, largeContentId } from './fill-large-content.ts';
import { type Probes, startProbes } from './probes.ts';

export const databases = ['SQLite', 'Postgres'] as const;
type DatabaseName = (typeof databases)[number];

export interface RevocationSample {
  database: DatabaseName;
  answerMs: number;
  /** From the answer until the last row was written; null if the measurement ended earlier. */
  writtenAfterMs: number | null;
  before: Probes;
  meanwhile: Probes;
}

/** How long other requests are measured beside the rows that are written. All of a million take some minutes. */
const watchMs = 45_000;
const lookEveryMs = 250;
/** The first requests wait for the compiler. */
const warmMs = 2_000;

/**
 * Revokes a content with many leases, while viewers of another content fetch keys and create and renew leases, and admins list
 * them.
 *
 * @throws Error if Postgres is not installed
 */
export async function measureRevocation(
  database: DatabaseName,
  leases: number,
  { seconds, cleanup, say }: Run,
): Promise<RevocationSample> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-revocation-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
  const sqlitePath = join(folder, 'latchkey.db');
  const databaseUrl = database === 'Postgres' ? cleanup.add(await startOwnPostgres()).url : undefined;
  const db = openDatabase({ databaseUrl, sqlitePath, longStatements: true });
  cleanup.add({ stop: () => db.destroy() });
  await migrate(db);
  say(`${database}: ${leases.toLocaleString('en')} leases of one content are written`);
  await fillLargeContent(db, leases, Date.now());
  const place = databaseUrl ? { DATABASE_URL: databaseUrl } : { SQLITE_PATH: sqlitePath };
  const server = await startSingleNode(cleanup, 'single node', place);
  const probes = cleanup.add(await startProbes(server.url));
  await pause(warmMs);
  probes.take();
  say(`${database}: ${seconds} s without a revocation`);
  await pause(seconds * 1_000);
  const before = probes.take();
  say(`${database}: the content is revoked`);
  const beganAtMs = performance.now();
  await call(server.url, 'POST', '/keys/leases/revoke', adminKey, { contentId: largeContentId });
  const answeredAtMs = performance.now();
  const written = await isWritten(db);
  return {
    database,
    answerMs: answeredAtMs - beganAtMs,
    writtenAfterMs: written ? performance.now() - answeredAtMs : null,
    before,
    meanwhile: probes.take(),
  };
}

async function isWritten(db: Database): Promise<boolean> {
  const deadline = performance.now() + watchMs;
  while (performance.now() < deadline) {
    const open = await db
      .selectFrom('revocations')
      .select('number')
      .where('finished_at', 'is', null)
      .execute();
    if (open.length === 0) return true;
    await pause(lookEveryMs);
  }
  return false;
}
