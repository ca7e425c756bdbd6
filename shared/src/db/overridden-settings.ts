import { sql } from 'kysely';
import type { Database } from './open.ts';
import { durableCommits, sessionSettings } from './postgres-session.ts';

/** A setting of the server, the database or the role that this code's sessions replace. */
export interface OverriddenSetting {
  name: string;
  /** The value that a session would have without ours. */
  found: string;
  used: string;
}

/** Set only for speed, and Postgres' own default differs: a report would help nobody. */
const tuning = 'random_page_cost';

/**
 * Finds settings that an operator made for the server, the database or the role, and that this code's sessions replace.
 *
 * @param db a Postgres
 * @throws the database's error
 */
export async function readOverriddenSettings(db: Database): Promise<OverriddenSetting[]> {
  const own: Record<string, string> = { ...sessionSettings(false), synchronous_commit: 'on' };
  delete own[tuning];
  const { rows } = await sql<{ name: string; found: string; usual: string }>`
    select name, reset_val as found, boot_val as usual from pg_settings
    where name in (${sql.join(Object.keys(own))}) order by name`.execute(db);
  return rows.flatMap(({ name, found, usual }) => {
    const used = own[name] ?? '';
    const isKept = found === usual || found === used;
    const isStronger = name === 'synchronous_commit' && durableCommits.some((value) => value === found);
    return isKept || isStronger ? [] : [{ name, found, used }];
  });
}
