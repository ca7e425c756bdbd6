import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The code of one release, with its packages. */
export interface Release {
  /** Such as `0.1.0`. */
  version: string;
  /** The root of its repository. */
  folder: string;
}

/**
 * Brings a database to this release's schema, as an operator does: `latchkey migrate`.
 *
 * @returns what the command said
 * @throws Error where it failed
 */
export function migrateWith({ version, folder }: Release, database: Record<string, string>): string {
  const args = [join(folder, 'cli/src/main.ts'), 'migrate'];
  const env = { PATH: process.env.PATH, ...database };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`latchkey migrate of ${version} ended with ${status}: ${stderr}`);
  return stdout.trim();
}
