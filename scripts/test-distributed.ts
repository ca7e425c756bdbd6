// `npm run test:distributed`: the black-box tests against separate processes on Postgres, Redis and NATS, three of them
// serving keys. `--replicas N` takes another number; what else is given goes to the test runner.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './own-server.ts';
import { provideServices } from './provide-service.ts';
import { runCommand } from './run-command.ts';
import { runTests } from './run-tests.ts';

const root = join(import.meta.dirname, '..');
const readyLimitMs = 30_000;
const hex = () => randomBytes(32).toString('hex');

const replicasAt = process.argv.indexOf('--replicas');
const replicas = replicasAt === -1 ? 3 : Number(process.argv[replicasAt + 1]);
const rest = process.argv
  .slice(2)
  .filter((_, index) => replicasAt === -1 || (index + 2 !== replicasAt && index + 2 !== replicasAt + 1));

const children: ChildProcess[] = [];
const services = await provideServices(['Postgres', 'Redis', 'NATS']);
const { TEST_POSTGRES_URL, TEST_REDIS_URL, TEST_NATS_URL } = services.variables;

/** Starts one process of the profile on a free port. */
async function start(entry: string, env: Record<string, string | undefined>): Promise<string> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [join(root, entry)], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      LOG_LEVEL: 'error',
      ...env,
      PORT: String(port),
    },
  });
  children.push(child);
  return `http://127.0.0.1:${port}`;
}

/** @returns the gateway's URL */
async function startProfile(secrets: Record<string, string>): Promise<string> {
  const shared = {
    ...secrets,
    DATABASE_URL: TEST_POSTGRES_URL,
    REDIS_URL: TEST_REDIS_URL,
    NATS_URL: TEST_NATS_URL,
  };
  const auth = await start('services/auth/src/serve.ts', shared);
  const content = await start('services/content/src/serve.ts', { ...shared, AUTH_SERVICE_URL: auth });
  const neighbours = { AUTH_SERVICE_URL: auth, CONTENT_SERVICE_URL: content };
  const leases = await start('services/leases/src/serve.ts', { ...shared, ...neighbours });
  const keys = {
    ...shared,
    ...neighbours,
    LEASES_SERVICE_URL: leases,
    MASTER_KEY_HEX: hex(),
    SALT_HEX: hex(),
  };
  const derivers: string[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    derivers.push(await start('services/key-derivation/src/serve.ts', { ...keys, DATABASE_URL: undefined }));
  }
  return start('gateway/src/main.ts', {
    INTERNAL_SECRET: secrets.INTERNAL_SECRET,
    ...neighbours,
    LEASES_SERVICE_URL: leases,
    KEY_DERIVATION_SERVICE_URL: derivers.join(','),
  });
}

async function isReady(url: string): Promise<void> {
  const deadline = performance.now() + readyLimitMs;
  let last = 'no answer';
  while (performance.now() < deadline) {
    try {
      const answer = await fetch(`${url}/ready`);
      if (answer.ok) return;
      last = await answer.text();
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the profile was not ready after ${readyLimitMs} ms: ${last}`);
}

/** The tests that act on whatever server they are given; the others start one of their own. */
function blackBoxTests(): string[] {
  const folder = join(root, 'acceptance', 'src');
  return readdirSync(folder)
    .filter(
      (file) => file.endsWith('.test.ts') && readFileSync(join(folder, file), 'utf8').includes('openTarget('),
    )
    .map((file) => `acceptance/src/${file}`);
}

let code = 1;
try {
  if (services.missing.length > 0) throw new Error(`this needs ${services.missing.join(', ')}`);
  const secrets = { INTERNAL_SECRET: hex(), ADMIN_API_KEY: `lk_${hex()}`, AUTH_JWT_SECRET: hex() };
  // Started before the migration, as a deployment may: they wait.
  const url = await startProfile(secrets);
  const migration = [join(root, 'cli/src/main.ts'), 'migrate'];
  if (
    (await runCommand(process.execPath, migration, { ...process.env, DATABASE_URL: TEST_POSTGRES_URL })) !== 0
  ) {
    throw new Error('the database could not be migrated');
  }
  await isReady(url);
  process.stderr.write(`${replicas} key-derivation replicas behind ${url}\n`);
  const env = { ...process.env, ...secrets, BASE_URL: url };
  code = await runTests([...blackBoxTests(), ...rest], env);
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n0 passed, 1 failed\n`);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await services.stop();
}
process.exit(code);
