import type { Selectable } from 'kysely';
import type { Clock } from '../clock/clock.ts';
import type { Database } from './open.ts';
import { getAsideWriter } from './paced-work.ts';
import type { PurgeClockTable } from './schema.ts';

const minuteMs = 60_000;
/**
 * Clocks are set by less than this in ordinary service, also for the change to summer time of a machine with a wrong zone. Nothing that is purged
 * is needed for less than ten minutes, and what decides about viewers for a day.
 */
const largestStepMs = 60 * minuteMs;
/** A wrong clock is noticed by then: tokens and leases are refused. */
const stepLastsMs = 24 * 60 * minuteMs;

/** For the operator's log. */
export const clockStepMessage =
  'old rows are not removed for now: the clock is more than an hour ahead of the last time that they were. Nothing else is affected. If the server was off, nothing needs to be done: it goes on once this process has run for waitSeconds. Otherwise check the clock of this machine';

/** The row of the table. */
type PurgeTime = Omit<Selectable<PurgeClockTable>, 'id'>;

interface PurgeClockOptions {
  db: Database;
  clock: Pick<Clock, 'now'>;
  /** Called once for each step that is not followed yet. @param waitMs how long the clock has to go on */
  onClockStep?: ((waitMs: number) => void) | undefined;
}

/** @returns the time by which a purge decides what is old: milliseconds since 1970 */
export type ReadPurgeTime = () => Promise<number>;

/**
 * The time by which purges remove rows. It follows the wall clock, but a step of more than an hour only after the clock has gone on from
 * there for a day. Otherwise a clock that is a day ahead for a minute would remove every mark, and a revoked viewer would get keys.
 *
 * It is kept in the database. So a restart does not begin anew, and a process whose clock alone is ahead does not purge for all: each run of
 * another one ends its step. A server that was off for more than an hour looks the same, and waits, too.
 */
export function createPurgeClock({ db, clock, onClockStep }: PurgeClockOptions): ReadPurgeTime {
  let isReported = false;
  return async () => {
    const wall = clock.now();
    const stored = await readTime(db, wall);
    const time = follow(stored, wall);
    await storeTime(db, stored, time);
    const isWaiting = time.step_at !== 0;
    if (isWaiting && !isReported) onClockStep?.(stepLastsMs - time.step_lasted_ms);
    isReported = isWaiting;
    if (!isWaiting) return wall;
    return time.trusted_at;
  };
}

/** The time after a run at this time of the wall clock. */
function follow({ trusted_at, step_at, step_lasted_ms }: PurgeTime, wall: number): PurgeTime {
  const settled = { step_at: 0, step_lasted_ms: 0 };
  if (wall <= trusted_at + largestStepMs) {
    // A step back by more than that, too: from a time that lasted a day, and that a second step must not return to at once.
    const isBack = wall < trusted_at - largestStepMs;
    return { trusted_at: isBack ? wall : Math.max(trusted_at, wall), ...settled };
  }
  if (step_at === 0 || wall < step_at - largestStepMs)
    return { trusted_at, step_at: wall, step_lasted_ms: 0 };
  // Of a pause, or another step, an hour counts at most. So a machine that runs for some hours a day gets there as well.
  const lasted = step_lasted_ms + Math.min(largestStepMs, Math.max(0, wall - step_at));
  if (lasted >= stepLastsMs) return { trusted_at: wall, ...settled };
  return { trusted_at, step_at: Math.max(wall, step_at), step_lasted_ms: lasted };
}

async function readTime(db: Database, wall: number): Promise<PurgeTime> {
  const stored = await db
    .selectFrom('purge_clock')
    .select(['trusted_at', 'step_at', 'step_lasted_ms'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  if (stored.trusted_at !== 0 || stored.step_at !== 0) return stored;
  // The first run. Each revocation writes a change, so the newest one is not older than the newest mark.
  const newest = await db
    .selectFrom('changes')
    .select('at')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { ...stored, trusted_at: Math.min(newest?.at ?? wall, wall) };
}

/** Only if no other process has stored one since. On SQLite on a separate thread, so that no request waits. */
async function storeTime(db: Database, before: PurgeTime, after: PurgeTime): Promise<void> {
  await (getAsideWriter(db) ?? db)
    .updateTable('purge_clock')
    .set(after)
    .where('id', '=', 1)
    .where((eb) => eb.or([eb('trusted_at', '=', before.trusted_at), eb('trusted_at', '=', 0)]))
    .where('step_at', '=', before.step_at)
    .where('step_lasted_ms', '=', before.step_lasted_ms)
    .execute();
}
