// `npm test -- distributed`: the black-box tests against separate processes.
import { readFlags } from '../read-flags.ts';
import { absentBucket, type Stack, startStack } from '../stack/start-stack.ts';
import { provideStores } from '../stores/provide-stores.ts';
import { blackBoxSettings, listBlackBoxTests } from './black-box-tests.ts';
import { selectTests } from './programs.ts';
import { runTests } from './run-tests.ts';

const usage = `npm test -- distributed: the black-box tests against separate processes on Postgres, Redis and NATS

  npm test -- distributed                     three processes serve keys
  npm test -- distributed --replicas N        N of them
  npm test -- distributed --edge              edge processes serve the keys, without gateway and key-derivation
  npm test -- distributed --dashboard         the tests of the dashboard's pages too
  npm test -- distributed --without-playing   not the tests that play a video in a browser or ffmpeg
  npm test -- distributed --one-stack         not the tests that start further servers, with settings of their own
  npm test -- distributed FILE…               further files of tests

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed.
`;

const { values: flags, positionals: rest } = readFlags(usage, {
  options: {
    replicas: { type: 'string', default: '3' },
    dashboard: { type: 'boolean', default: false },
    'without-playing': { type: 'boolean', default: false },
    edge: { type: 'boolean', default: false },
    'one-stack': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const replicas = Number(flags.replicas);
if (!(Number.isInteger(replicas) && replicas > 0)) {
  process.stderr.write(`--replicas ${flags.replicas}: accepted is a whole number from 1\n`);
  process.exit(2);
}

const services = await provideStores(['Postgres', 'Redis', 'NATS']);
const {
  TEST_POSTGRES_URL = '',
  TEST_REDIS_URL = '',
  TEST_NATS_URL = '',
} = { ...process.env, ...services.variables };
let stack: Stack | null = null;

let code = 1;
try {
  if (services.missing.length > 0) throw new Error(`this needs ${services.missing.join(', ')}`);
  stack = await startStack({
    stores: { postgres: TEST_POSTGRES_URL, redis: TEST_REDIS_URL, nats: TEST_NATS_URL },
    // Each service reaches its own tables alone, as in compose.yaml: a query on another's table is refused.
    rolePrefix: 'latchkey_distributed',
    edge: flags.edge,
    replicas: { [flags.edge ? 'edge' : 'key-derivation']: replicas },
    settings: { ...blackBoxSettings, ...absentBucket() },
  });
  await Promise.all(stack.all.map((process) => process.waitReady()));
  const { url, secrets } = stack;
  process.stderr.write(
    flags.edge
      ? `${replicas} edge processes, requests to ${url}\n`
      : `${replicas} key-derivation replicas behind ${url}\n`,
  );
  // Servers with settings of their own have a gateway: they are the same with and without --edge.
  const which = {
    dashboard: flags.dashboard,
    ownSettings: !(flags.edge || flags['one-stack']),
    playing: !flags['without-playing'],
  };
  const tests = [...listBlackBoxTests(which), ...rest];
  const separate = { TEST_POSTGRES_URL, TEST_SEPARATE_SERVICES: 'true' };
  code = await runTests(selectTests(tests), { ...process.env, ...separate, ...secrets, BASE_URL: url });
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n0 passed, 1 failed\n`);
} finally {
  await stack?.end('SIGKILL');
  await services.stop();
}
process.exit(code);
