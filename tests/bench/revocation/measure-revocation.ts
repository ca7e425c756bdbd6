import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, isPostgres, migrate, openDatabase } from '@latchkey/shared/db';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { sql } from 'kysely';
import { readDiskWrites } from '../proc/disk-writes.ts';
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
  /** Bytes that the server and Postgres had written to the disk, from the answer on. */
  diskBytes: number;
  /** From the answer until nothing more went to the disk; null if the measurement ended earlier. */
  quietAfterMs: number | null;
  before: Probes;
  meanwhile: Probes;
}

/** How long the disk is watched, unless it is quiet earlier. */
const watchMs = 600_000;
/** The disk is quiet if nothing is written for longer than the pause between two checkpoints of SQLite (a second). */
const quietMs = 5_000;
const lookEveryMs = 250;
/** The first requests wait for the compiler. */
const warmMs = 2_000;

/**
 * Revokes a content with many leases, while viewers of another content fetch keys and create and renew leases, and admins list
 * them: for some seconds before, and for as long while the rows are written. All of a million take some minutes.
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
  // Without settings for tests, it logs whole pages, as in production. That is a large part of what it writes.
  const postgres = database === 'Postgres' ? cleanup.add(await startOwnPostgres({})) : undefined;
  const databaseUrl = postgres?.url;
  const db = openDatabase({ databaseUrl, sqlitePath, longStatements: true });
  cleanup.add({ stop: () => db.destroy() });
  await migrate(db);
  say(`${database}: ${leases.toLocaleString('en')} leases of one content are written`);
  await fillLargeContent(db, leases, Date.now());
  const place = databaseUrl ? { DATABASE_URL: databaseUrl } : { SQLITE_PATH: sqlitePath };
  const server = await startSingleNode(cleanup, 'single node', place);
  const probes = cleanup.add(await startProbes(server.url));
  const subjects = [server.pid, ...(postgres ? [postgres.pid] : [])];
  const diskWrites = () => subjects.reduce((sum, pid) => sum + readDiskWrites(pid), 0);
  const revoke = (contentId: string) =>
    call(server.url, 'POST', '/keys/leases/revoke', adminKey, { contentId });
  // The first one waits for the compiler, too.
  await revoke('no-leases');
  await pause(warmMs);
  probes.take();
  // As long as afterwards: the longest of few requests says nothing about the longest of many.
  const probesMs = seconds * 1_000;
  say(`${database}: ${seconds} s without a revocation`);
  await pause(probesMs);
  const before = probes.take();
  say(`${database}: the content is revoked`);
  const beganAtMs = performance.now();
  await revoke(largeContentId);
  const answeredAtMs = performance.now();
  const writtenBefore = diskWrites();
  const sinceAnswerMs = () => performance.now() - answeredAtMs;
  const isWritten = () => hasNoUnfinished(db);
  const soon = await waitUntil(isWritten, () => sinceAnswerMs() > probesMs);
  let writtenAfterMs = soon ? sinceAnswerMs() : null;
  const meanwhile = probes.take();
  await probes.stop();
  if (!soon && (await waitUntil(isWritten, () => sinceAnswerMs() > watchMs)))
    writtenAfterMs = sinceAnswerMs();
  say(`${database}: the rows are written, or the time is over`);
  // Postgres would write its changed pages within five minutes (checkpoint_timeout).
  if (isPostgres(db)) await sql`checkpoint`.execute(db);
  const quietAfterMs = await waitUntilQuiet(diskWrites, sinceAnswerMs);
  const diskBytes = diskWrites() - writtenBefore;
  const answerMs = answeredAtMs - beganAtMs;
  return { database, answerMs, writtenAfterMs, diskBytes, quietAfterMs, before, meanwhile };
}

/** @returns false if the time was over first */
async function waitUntil(isTrue: () => Promise<boolean>, isOver: () => boolean): Promise<boolean> {
  while (!(await isTrue())) {
    if (isOver()) return false;
    await pause(lookEveryMs);
  }
  return true;
}

/** @returns when the last bytes were written; null if the time was over first */
async function waitUntilQuiet(diskWrites: () => number, sinceAnswerMs: () => number): Promise<number | null> {
  let last = { bytes: diskWrites(), atMs: sinceAnswerMs() };
  while (sinceAnswerMs() < watchMs) {
    await pause(lookEveryMs);
    const bytes = diskWrites();
    if (bytes > last.bytes) last = { bytes, atMs: sinceAnswerMs() };
    else if (sinceAnswerMs() - last.atMs > quietMs) return last.atMs;
  }
  return null;
}

async function hasNoUnfinished(db: Database): Promise<boolean> {
  const open = db.selectFrom('revocations').select('number').where('finished_at', 'is', null);
  return (await open.limit(1).execute()).length === 0;
}
