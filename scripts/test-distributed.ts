// `npm run test:distributed`: the black-box tests against separate processes on Postgres, Redis and NATS, three of them
// serving keys. `--replicas N` takes another number, `--dashboard` adds the tests of its pages; further test files may follow.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { blackBoxSettings, listBlackBoxTests } from './black-box-tests.ts';
import {
  createDistributedProfile,
  type DistributedProfile,
  makeProfileSecrets,
} from './profile/distributed-profile.ts';
import { provideServices } from './provide-service.ts';
import { runCommand } from './run-command.ts';
import { runTests } from './run-tests.ts';

const root = join(import.meta.dirname, '..');

const { values: flags, positionals: rest } = parseArgs({
  options: {
    replicas: { type: 'string', default: '3' },
    dashboard: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const replicas = Number(flags.replicas);

const services = await provideServices(['Postgres', 'Redis', 'NATS']);
const {
  TEST_POSTGRES_URL = '',
  TEST_REDIS_URL = '',
  TEST_NATS_URL = '',
} = { ...process.env, ...services.variables };
let profile: DistributedProfile | null = null;

let code = 1;
try {
  if (services.missing.length > 0) throw new Error(`this needs ${services.missing.join(', ')}`);
  const secrets = makeProfileSecrets();
  profile = await createDistributedProfile(
    { postgres: TEST_POSTGRES_URL, redis: TEST_REDIS_URL, nats: TEST_NATS_URL },
    secrets,
    { auth: 1, content: 1, leases: 1, 'key-derivation': replicas, gateway: 1 },
    blackBoxSettings,
  );
  // Started before the migration, as a deployment may: they wait.
  for (const process of profile.all) process.start(root);
  const migration = [join(root, 'cli/src/main.ts'), 'migrate'];
  if (
    (await runCommand(process.execPath, migration, { ...process.env, DATABASE_URL: TEST_POSTGRES_URL })) !== 0
  ) {
    throw new Error('the database could not be migrated');
  }
  await Promise.all(profile.all.map((process) => process.waitReady()));
  const url = profile.processes.gateway[0]?.url;
  process.stderr.write(`${replicas} key-derivation replicas behind ${url}\n`);
  code = await runTests([...listBlackBoxTests(root, flags), ...rest], {
    ...process.env,
    ...secrets,
    BASE_URL: url,
  });
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n0 passed, 1 failed\n`);
} finally {
  await Promise.all((profile?.all ?? []).map((process) => process.end('SIGKILL')));
  await services.stop();
}
process.exit(code);
