import { runCli } from '../processes/run-cli.ts';
import type { Environment } from '../processes/spawn-entry.ts';

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
 * @returns the command's output
 * @throws Error if it failed
 */
export function migrateWith({ folder }: Release, database: Environment): Promise<string> {
  return runCli(['migrate'], database, folder);
}
