import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, migrate, openDatabase } from '@latchkey/shared/db';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { createCleanup } from '../cleanup.ts';
import { adminKey, type Subject, startSingleNode } from '../servers.ts';
import { fillLargeContent, largeContentId } from './fill-large-content.ts';
import { type Probes, startProbes } from './probes.ts';

export type DatabaseName = 'SQLite' | 'Postgres';

export interface RevocationOptions {
  leases: number;
  seconds: number;
  /** How long to wait for the last row at most. */
  watchSeconds: number;
  say: (line: string) => void;
}

export interface RevocationSample {
  database: DatabaseName;
  answerMs: number;
  /** From the answer until the last row was written; null if the measurement ended earlier. */
  writtenAfterMs: number | null;
  before: Probes;
  meanwhile: Probes;
}

const lookEveryMs = 250;

/**
 * Revokes a content with many leases, while viewers of another content fetch keys and create and renew leases, and admins list
 * them.
 *
 * @throws Error if Postgres is not installed
 */
export async function measureRevocation(
  database: DatabaseName,
  { leases, seconds, watchSeconds, say }: RevocationOptions,
): Promise<RevocationSample> {
  const cleanup = createCleanup();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-revocation-'));
    cleanup.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    const postgres = database === 'Postgres' ? cleanup.add(await startOwnPostgres()) : null;
    const place = { databaseUrl: postgres?.url, sqlitePath: join(folder, 'latchkey.db') };
    const db = openDatabase({ ...place, longStatements: true });
    cleanup.add({ stop: () => db.destroy() });
    await migrate(db);
    say(`${database}: ${leases.toLocaleString('en')} leases of one content are written`);
    await fillLargeContent(db, leases, Date.now());
    const server = cleanup.add(
      await startSingleNode(postgres ? { DATABASE_URL: postgres.url } : { SQLITE_PATH: place.sqlitePath }),
    );
    const probes = cleanup.add(await startProbes(server.url));
    await pause(2_000);
    probes.take();
    say(`${database}: ${seconds} s without a revocation`);
    await pause(seconds * 1_000);
    const before = probes.take();
    say(`${database}: the content is revoked`);
    const answerMs = await revoke(server);
    const answeredAt = performance.now();
    const written = await isWritten(db, watchSeconds * 1_000);
    return {
      database,
      answerMs,
      writtenAfterMs: written ? performance.now() - answeredAt : null,
      before,
      meanwhile: probes.take(),
    };
  } finally {
    await cleanup.run();
  }
}

async function revoke({ url }: Subject): Promise<number> {
  const beganAt = performance.now();
  const answer = await fetch(`${url}/keys/leases/revoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contentId: largeContentId }),
  });
  const body = (await answer.json()) as { revoked?: number };
  if (!answer.ok || !body.revoked) throw new Error(`the revocation was answered with ${answer.status}`);
  return performance.now() - beganAt;
}

async function isWritten(db: Database, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
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
