import type { Checks } from '../checks.ts';
import type { Stack } from '../stack/stack.ts';
import { failoverThatLosesRows, restoredFromBackup, standbyThatAnswers } from './other-servers.ts';
import { readOnly } from './read-only.ts';
import { type DatabaseScene, openDatabaseScene } from './scene.ts';

/** The last two leave another history in the database, so they come last. */
const trials: readonly [name: string, run: (scene: DatabaseScene) => Promise<string>][] = [
  ['a read-only database', readOnly],
  ['a standby that answers', standbyThatAnswers],
  ['a failover that loses rows', failoverThatLosesRows],
  ['a database restored from a backup', restoredFromBackup],
];

/**
 * Tries databases that differ from the usual one, in turn on one stack.
 *
 * @param only a part of the names; empty for all
 * @returns a table
 */
export async function tryDatabases(stack: Stack, checks: Checks, only: string): Promise<string> {
  const scene = openDatabaseScene(stack, checks);
  const rows: string[] = [];
  for (const [name, run] of trials.filter(([name]) => name.includes(only))) {
    await checks.run(name, async () => void rows.push(`| ${name} | ${await run(scene)} |`));
  }
  return ['| database | what was seen |', '|---|---|', ...rows].join('\n');
}
