import type { Target } from './target.ts';

/**
 * The migrations that the server's database still lacks, by name: none, except where this release runs on the schema of the one
 * before, which `npm run test:upgrade` tests. What a pending migration brings cannot be tested there.
 */
export async function listPendingMigrations({ client }: Target): Promise<readonly string[]> {
  return (await client.get('/ready')).json.dependencies.migrations?.pending ?? [];
}
