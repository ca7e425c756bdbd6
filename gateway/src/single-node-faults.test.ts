import { createApiKeyVerifier, mount as mountAuth } from '@latchkey/auth';
import { createContentReader, mount as mountContent } from '@latchkey/content';
import { createLeaseReader, mount as mountLeases } from '@latchkey/leases';
import { createServiceCore } from '@latchkey/shared/process';
import { addRows } from '@latchkey/shared/process/service-database';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { expect, test } from 'vitest';
import { mountInTest, openProcessInTest, type ProcessInTest } from './single-node.fixture.ts';

const readers = ({ rows: { db }, context }: ProcessInTest) => ({
  apiKeys: createApiKeyVerifier({ db, clock: context.clock, bootstrapKeys: [], onFault: () => {} }),
  contents: createContentReader({ db }),
  leases: createLeaseReader({ db, renewGraceSeconds: 30 }),
});

/** Mounts one service on a process of its own, as its `serve.ts` does. */
async function mountAlone(name: 'auth' | 'content' | 'leases', process: ProcessInTest): Promise<void> {
  const { context, rows, values } = process;
  const own = readers(process);
  const core = addRows(await createServiceCore(context, values, { ...rows, ...own }), rows.db, rows.roster);
  await core.follower.pull();
  if (name === 'auth') await mountAuth(core, own);
  else if (name === 'content') await mountContent(core, own);
  else await mountLeases(core, own);
  context.startUp.end();
}

const noFeed = 'warn: the change feed could not be read';
const notWritten = 'warn: revoked leases could not be written; they stay revoked';
const notPurged = 'warn: what has ended could not be purged';
const auditNotPurged = 'warn: the audit could not be purged';
const webhooksNotServed = 'warn: webhooks could not be served';
const answersNotPurged = 'warn: answers that were kept for repeated requests could not be purged';
const usageNotPurged = 'warn: usage could not be purged';

const notDropped =
  'warn: processes that have ended could not be dropped from the list of followers; waits for applied changes take longer';

/** The failure, without its consequence and the advice. */
function whatFailed(line: string): string {
  return line.split(': ').slice(0, 2).join(': ');
}

const profiles: [name: string, mountIt: (process: ProcessInTest) => Promise<void>, warnings: string[]][] = [
  [
    'the single node',
    mountInTest,
    [
      ...[noFeed, notDropped, notWritten, notPurged],
      ...[auditNotPurged, webhooksNotServed, usageNotPurged, answersNotPurged],
    ],
  ],
  [
    'the auth service',
    (process) => mountAlone('auth', process),
    [noFeed, notDropped, auditNotPurged, webhooksNotServed, usageNotPurged, answersNotPurged],
  ],
  ['the content service', (process) => mountAlone('content', process), [noFeed, notDropped]],
  [
    'the lease service',
    (process) => mountAlone('leases', process),
    [noFeed, notDropped, notWritten, notPurged, answersNotPurged],
  ],
];

test.each(profiles)(
  '%s warns once a minute of each job that fails while the database is away, and logs no error',
  async (name, mountIt, warnings) => {
    const time = stopTime();
    const process = await openProcessInTest({ isSeparate: name !== 'the single node' });
    await mountIt(process);
    await process.rows.db.destroy();
    const passSeconds = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        process.context.clock.advance(1_000);
        time.advance(1_000);
        // A job that has failed sets its next timer in a later turn.
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      }
    };
    await passSeconds(61);
    const inFirstMinute = process.logged.splice(0).map(whatFailed);
    expect([...new Set(inFirstMinute)].sort()).toEqual([...warnings].sort());
    expect(inFirstMinute.length).toBeLessThanOrEqual(2 * warnings.length);
    await passSeconds(58);
    expect(process.logged).toEqual([]);
  },
);
