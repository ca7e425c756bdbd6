import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The creation of its rows, milliseconds since 1970: far ahead, so that they can be distinguished. */
export const pgbenchTime = 4_000_000_000_000;

/**
 * Inserts rows with pgbench, like the rows of a new lease.
 *
 * @param pgbench the path of the program
 * @param rows of one statement, which is one transaction
 * @returns rows a second
 * @throws Error if pgbench fails
 */
export async function insertWithPgbench(
  pgbench: string,
  databaseUrl: string,
  { rows, sessions, seconds }: { rows: number; sessions: number; seconds: number },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pgbench-'));
  try {
    const script = join(folder, 'insert.sql');
    writeFileSync(
      script,
      `insert into leases (id, viewer_id, content_id, created_at, expires_at)
        select gen_random_uuid()::text, 'viewer-' || n, 'film', ${pgbenchTime}, ${pgbenchTime + 300_000}
        from generate_series(1, ${rows}) as n;\n`,
    );
    // Prepared, as the statements of Latchkey are.
    const options = ['--no-vacuum', '--protocol=prepared', '--jobs=2'];
    const amount = [`--client=${sessions}`, `--time=${seconds}`];
    const { stdout } = await promisify(execFile)(pgbench, [
      ...options,
      ...amount,
      '--file',
      script,
      databaseUrl,
    ]);
    const [, perSecond] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
    if (perSecond === undefined) throw new Error(`pgbench reported no rate: ${stdout}`);
    return Number(perSecond) * rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
