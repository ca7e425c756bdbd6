import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { askForKey, makeScene } from './server-actions.ts';
import { type OwnSingleNode, startSingleNode } from './target.ts';

// Nodes of their own, because the test takes their tables away.
const [usual, patient] = await Promise.all([
  startSingleNode(),
  startSingleNode({ AUTHORITY_MAX_AGE_SECONDS: '300' }),
]);

/** Renames the tables of the change feed and of contents, so that no state can be confirmed, as without a database. */
function loseTables({ folder }: OwnSingleNode): void {
  const database = new DatabaseSync(join(folder, 'latchkey.db'));
  for (const table of ['changes', 'change_counter', 'contents'])
    database.exec(`ALTER TABLE ${table} RENAME TO ${table}_elsewhere`);
  database.close();
}

/** Waits until the server has read the changes so far. It then drops what it kept of them, and would read that again. */
async function readChanges({ client, adminApiKey }: OwnSingleNode): Promise<void> {
  const sinceMs = performance.now();
  await eventually(async () => {
    const { json } = await client.get('/api/v1/statistics?steps=1', adminApiKey);
    const [{ feedAgeMs }] = json.statistics.processes;
    expect(feedAgeMs).toBeLessThan(performance.now() - sinceMs);
  });
}

it('AUTHORITY_MAX_AGE_SECONDS=300 still serves keys when the default answers 503, and warns of it at start', async () => {
  const scenes = [await makeScene(usual), await makeScene(patient)] as const;
  for (const server of [usual, patient]) await readChanges(server);
  expect([await askForKey(usual, scenes[0]), await askForKey(patient, scenes[1])]).toEqual(['200', '200']);
  for (const server of [usual, patient]) loseTables(server);
  await eventually(async () => expect(await askForKey(usual, scenes[0])).toBe('503 DEPENDENCY_UNAVAILABLE'));
  expect(await askForKey(patient, scenes[1])).toBe('200');
  expect(patient.process.stderr()).toContain('AUTHORITY_MAX_AGE_SECONDS is 300');
  expect(usual.process.stderr()).not.toContain('AUTHORITY_MAX_AGE_SECONDS is');
});
