import type { Checks } from '../checks.ts';
import { createAudience } from '../client/audience.ts';
import { countByStatus } from '../client/count-answers.ts';
import { createManagement } from '../client/management.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import { directPlaybacks, directReplicas, type Stack } from '../stack/stack.ts';
import { faults } from './fault-list.ts';
import { type FaultReport, runFault } from './run-fault.ts';

/** `docs/reference/contract.md#age-of-a-state`: no key on a state that was not confirmed within this time. */
const latestKeyMs = 5_000;
const answersAllowed = new Set([200, 503]);

/**
 * Tries every fault in turn on one stack.
 *
 * @param only a part of the names; empty for all
 * @returns a table
 */
export async function runFaults(stack: Stack, checks: Checks, only: string): Promise<string> {
  const replicas = directReplicas(stack);
  const management = createManagement(() => stack.gateways[0]?.url ?? '', adminKey, stack.playlistUrl);
  const playbacks = directPlaybacks(stack);
  const audience = await createAudience(management, tokenSecret, 'fault-film', replicas, playbacks);
  const reports: FaultReport[] = [];
  for (const fault of faults.filter(({ name }) => name.includes(only))) {
    await checks.run(fault.name, async () => {
      const report = await runFault(fault, { stack, audience, replicas, playbacks });
      reports.push(report);
      judge(report, checks);
      await stack.waitWhole();
    });
  }
  return tabulate(reports);
}

function judge({ fault, keys, playlists, changes, ...seen }: FaultReport, checks: Checks): void {
  const { name, unseenByViewers, unseenInPlaylists = unseenByViewers } = fault;
  checks.check(
    `${name}: no key or playlist later than ${latestKeyMs} ms after its revocation`,
    seen.latestKeyMs <= latestKeyMs,
    `the latest came after ${seen.latestKeyMs.toFixed(0)} ms`,
  );
  checks.check(
    `${name}: nothing acknowledged is lost or half done`,
    seen.wrong.length === 0,
    seen.wrong.slice(0, 5).join('; '),
  );
  checks.check(
    `${name}: viewers get only keys and 503`,
    keys.every(({ status }) => answersAllowed.has(status)),
    countByStatus(keys),
  );
  if (unseenByViewers)
    checks.check(
      `${name}: viewers whom the replicas know get every key`,
      keys.every(({ status }) => status === 200),
      countByStatus(keys),
    );
  checks.check(
    `${name}: viewers with a session get only playlists and 503`,
    playlists.every(({ status }) => answersAllowed.has(status)),
    countByStatus(playlists),
  );
  if (unseenInPlaylists)
    checks.check(
      `${name}: viewers with a session get every playlist`,
      playlists.every(({ status }) => status === 200),
      countByStatus(playlists),
    );
  checks.check(
    `${name}: a change is done or answered 503`,
    changes.every(({ status }) => (status < 300 ? status >= 200 : status === 503)),
    countByStatus(changes),
  );
  checks.check(`${name}: all is normal again`, seen.normalAfterMs !== null);
}

function tabulate(reports: readonly FaultReport[]): string {
  const rows = reports.map(({ fault, keys, playlists, changes, ...seen }) => {
    const normal =
      seen.normalAfterMs === null ? 'not within 30 s' : `${(seen.normalAfterMs / 1_000).toFixed(1)} s`;
    const latest =
      seen.latestKeyMs === 0 ? 'none' : `${Math.round(seen.latestKeyMs).toLocaleString('en')} ms`;
    const lost = seen.wrong.length === 0 ? 'nothing' : seen.wrong.length;
    return `| ${[fault.name, countByStatus(keys), countByStatus(playlists), countByStatus(changes), latest, lost, normal].join(' | ')} |`;
  });
  return [
    '| broken | key requests | playlist requests | changes | latest key or playlist after its revocation | lost | normal again after |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
