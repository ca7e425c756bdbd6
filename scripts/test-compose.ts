// `npm run test:compose`: the images and compose.yaml, for real.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import { createComposeProject } from '@latchkey/rig/compose-project';
import { readFlags } from '@latchkey/rig/read-flags';
import { runCommand } from '@latchkey/rig/run-command';
import {
  blackBoxSettings,
  listBlackBoxTests,
  notForContainers,
} from '@latchkey/rig/test-run/black-box-tests';
import { measureImages } from './image/measure-images.ts';

const usage = `npm run test:compose: builds every image and runs compose.yaml for real, under a project name of its own

Needs Docker with Compose (docker compose or docker-compose). Takes everything away again.
Ends with: N passed, N failed. Exits 0 where nothing failed.
`;
readFlags(usage, {});

const root = join(import.meta.dirname, '..');
const replicas = 3;
/** Requests that go to the replicas in turn; enough that each is seen to take its part. */
const requests = 300;
/** Overwrites nobody's release. */
const testTag = 'test';

async function makeEnvFile(folder: string): Promise<string> {
  const path = join(folder, '.env');
  const cli = join(root, 'cli/src/main.ts');
  assert.equal(await runCommand(process.execPath, [cli, 'keygen', '--out', path]), 0);
  // Any free port; no drain, for there is no load balancer to look away.
  const settings = {
    LATCHKEY_PORT: 0,
    LATCHKEY_VERSION: testTag,
    SHUTDOWN_DRAIN_SECONDS: 1,
    KEY_DERIVATION_REPLICAS: replicas,
    ...blackBoxSettings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path, readFileSync(path, 'utf8') + lines.join(''));
  return path;
}

async function checkBlackBox(url: string, secrets: NodeJS.Dict<string>): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { ADMIN_API_KEY, AUTH_JWT_SECRET } = secrets;
  const env = { ...process.env, BASE_URL: url, ADMIN_API_KEY, AUTH_JWT_SECRET };
  const code = await runCommand(
    process.execPath,
    [vitest, 'run', '--root', root, ...listBlackBoxTests(root)],
    env,
  );
  assert.equal(code, 0, `the black-box tests passed against ${url}`);
}

/** Those with settings of their own: each starts stacks of its own, so few files run at once. */
async function checkOwnSettings(): Promise<void> {
  const others = new Set(listBlackBoxTests(root));
  const tests = listBlackBoxTests(root, { ownSettings: true }).filter((file) => !others.has(file));
  const left = tests.filter((file) => Object.keys(notForContainers).some((name) => file.endsWith(name)));
  for (const file of left) console.log(`  not run: ${file} (${notForContainers[basename(file)]})`);
  const files = tests.filter((file) => !left.includes(file));
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, TEST_CONTAINERS: testTag };
  const args = ['run', '--root', root, '--maxWorkers', '2', ...files];
  assert.equal(await runCommand(process.execPath, [vitest, ...args], env), 0, 'their black-box tests passed');
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-compose-'));
const envFile = await makeEnvFile(folder);
const secrets = parseEnv(readFileSync(envFile, 'utf8'));
const headers = {
  authorization: `Bearer ${secrets.ADMIN_API_KEY}`,
  'content-type': 'application/json',
};
const project = await createComposeProject({ root, envFile, name: `latchkey-test-${process.pid}` });
const faults: unknown[] = [];
let passed = 0;

async function step(name: string, run: () => Promise<void>): Promise<void> {
  const startMs = performance.now();
  const failed = await run().then(
    () => false,
    (error) => faults.push(error) > 0,
  );
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  if (!failed) passed++;
  console.log(`${failed ? '✗' : '✓'} ${name} (${seconds} s)`);
  if (failed) console.log(faults.at(-1));
}

async function register(url: string, id: string): Promise<void> {
  const body = JSON.stringify({ id, name: id });
  const { status } = await fetch(`${url}/api/v1/content`, { method: 'POST', headers, body });
  assert.equal(status, 201);
}

async function fetchKey(url: string, id: string): Promise<string> {
  const answer = await fetch(`${url}/keys/${id}`, { headers });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer()).toString('hex');
}

/** The gateway is ready before the last service is. */
function allReplicasReady(): Promise<void> {
  const areThere = (text: string) =>
    text.includes(`"addresses":${replicas}`) && !text.includes('"status":"down"');
  return project.ready('gateway', areThere);
}

try {
  await step('every image builds', () => project.run(['--profile', 'single', 'build', '--quiet']));
  await step(`it comes up on an empty database, with ${replicas} replicas of key-derivation`, async () => {
    await project.run(['up', '--detach']);
    await allReplicasReady();
  });
  await step('its images and its processes are measured', async () => {
    console.log(await measureImages(testTag, project.containers));
  });
  const url = await project.url('gateway');
  await step('the black-box tests pass', () => checkBlackBox(url, secrets));
  await step('every replica takes its part of the key requests', async () => {
    await register(url, 'spread');
    const before = await project.keyRequests();
    for (let sent = 0; sent < requests; sent++) await fetchKey(url, 'spread');
    const after = await project.keyRequests();
    const parts = Object.entries(after).map(([id, count]) => count - (before[id] ?? 0));
    console.log(`  ${requests} requests: ${parts.join(' + ')}`);
    assert.equal(parts.length, replicas);
    for (const part of parts) assert.ok(Math.abs(part - requests / replicas) <= requests / 10);
  });
  await step('with one of them killed, keys are given all the same', async () => {
    await project.killOne('key-derivation');
    for (let sent = 0; sent < requests; sent++) await fetchKey(url, 'spread');
  });
  await step('bringing it up again, as an upgrade does, gives it all its replicas', async () => {
    await project.run(['up', '--detach', '--force-recreate', 'key-derivation']);
    await allReplicasReady();
  });
  await step('it goes down and leaves nothing', () => project.remove());
  await step('the black-box tests with settings of their own pass', checkOwnSettings);
  await step('the single node keeps what it was told over a restart', async () => {
    await project.run(['up', '--detach', 'single-node']);
    await project.ready('single-node');
    await register(await project.url('single-node'), 'kept');
    const key = await fetchKey(await project.url('single-node'), 'kept');
    await project.run(['--profile', 'single', 'down']);
    await project.run(['up', '--detach', 'single-node']);
    await project.ready('single-node');
    assert.equal(await fetchKey(await project.url('single-node'), 'kept'), key);
  });
  await step('the black-box tests pass on it', async () =>
    checkBlackBox(await project.url('single-node'), secrets),
  );
} finally {
  if (faults.length > 0) await project.run(['logs', '--tail', '20']).catch(console.error);
  await project.remove().catch((error) => faults.push(error));
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${faults.length} failed`);
process.exitCode = faults.length === 0 ? 0 : 1;
