import type { Database } from '@latchkey/shared/db';
import { sql } from 'kysely';
import { literal, numbers } from './generated-rows.ts';

/** Below the length of a SHA-256 in hex digits, so that the number fills the rest. */
const hashBeginning = 'f'.repeat(52);
const hashTailFrom = 100_000_000_000;

/** Writes active API keys straight into their table, on either database. Nobody knows what their hashes are of. */
export async function seedApiKeys(db: Database, apiKeys: number, nowMs: number): Promise<void> {
  await sql`
    insert into api_keys (id, name, key_hash, key_prefix, scope, created_at)
    ${numbers(0, apiKeys)}
    select '10000000-0000-4000-8000-' || (${literal(hashTailFrom)} + n), 'Key ' || n,
      ${sql.lit(hashBeginning)} || (${literal(hashTailFrom)} + n), 'lk_ffffffff', 'playback', ${literal(nowMs)} from numbers
  `.execute(db);
}
