import type { Target } from './target.ts';

/**
 * The names of the migrations that the server's database still lacks. `npm test -- upgrade` runs this release on the schema of the
 * one before. Features of pending migrations cannot be tested there.
 */
export async function listPendingMigrations({ client }: Target): Promise<readonly string[]> {
  return (await client.get('/ready')).json.dependencies.migrations?.pending ?? [];
}
