import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '@latchkey/support/read-flags';
import { repositoryFolder } from '@latchkey/support/repository';
import { provideStores, thisMachine } from '@latchkey/support/stores/provide-stores';
import { conclude } from '@latchkey/support/test-run/run-tests';
import { findPreviousRelease, unpackRelease } from './previous-release.ts';
import { rollThrough } from './roll-through.ts';
import { createTally } from './tally.ts';

const usage = `npm test -- upgrade: whether this code can take the place of the last release, and back

Takes the code of the last release (its tag, or in a clone without tags the commit "Release 0.3.0") from the history and runs separate
services of both releases side by side on one Postgres, while one takes the other's place, and back: every request is answered.

If the history does not reach back to a release (a shallow clone), or Postgres, Redis and NATS cannot be had, it is skipped by name.

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed.
`;

readFlags(usage, {});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const tally = createTally(say);

async function testRolling(version: string, folder: string): Promise<void> {
  const services = await provideStores(['Postgres', 'Redis', 'NATS'], { ...thisMachine, env: {} });
  try {
    if (services.missing.length > 0)
      return tally.skip(`upgrade from ${version}`, `needs ${services.missing.join(', ')}`);
    const { TEST_POSTGRES_URL = '', TEST_REDIS_URL = '', TEST_NATS_URL = '' } = services.variables;
    const stores = { postgres: TEST_POSTGRES_URL, redis: TEST_REDIS_URL, nats: TEST_NATS_URL };
    const before = await unpackRelease(version, folder);
    await rollThrough(before, { version: 'this code', folder: repositoryFolder }, stores, tally);
  } finally {
    await services.stop();
  }
}

const version = findPreviousRelease();
if (version === undefined) tally.skip('upgrade', 'the history here has no release to upgrade from');
else {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-upgrade-'));
  try {
    await testRolling(version, join(folder, version));
  } catch (error) {
    tally.check(`upgrade from ${version}`, false, (error as Error).message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
say(`\n${conclude(tally.counts, 0).lines.join('\n')}`);
process.exit(tally.counts.failed > 0 ? 1 : 0);
