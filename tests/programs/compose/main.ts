// `npm test -- compose`: the images and compose.yaml, for real.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { createComposeProject } from '@latchkey/support/compose-project';
import { writeFinding } from '@latchkey/support/measured/finding';
import { readFlags } from '@latchkey/support/read-flags';
import { repositoryFolder } from '@latchkey/support/repository';
import { runCommand } from '@latchkey/support/run-command';
import { blackBoxSettings, listBlackBoxTests } from '@latchkey/support/test-run/black-box-tests';
import { findDockerEngine } from './docker-engine.ts';
import { runDocumentedOperations } from './documented-operations.ts';
import { removeLeftoverStacks } from './leftover-stacks.ts';
import { measureImages } from './measure-images.ts';
import { sendRequestsDuring } from './requests-during.ts';

const usage = `npm test -- compose: builds every image and runs compose.yaml for real, under a project name of its own

Needs Compose (docker compose or docker-compose) and a Docker engine: the one that DOCKER_HOST names, else the one of the
current context. The engine must run on this machine, because compose.yaml publishes its ports on 127.0.0.1.
An engine has addresses for about 30 networks, and this uses up to 16 at a time: take one that runs little else.
Removes the containers, networks and volumes that it makes. Keeps the images, with the tag test.
Writes the sizes of the images into docs/operate/containers.md.
Ends with: N passed, N failed. Exits 0 if nothing failed.
`;
readFlags(usage, {});

const replicas = 3;
/** Requests that go to the replicas in turn; enough for each to answer some. */
const requests = 300;
/** A tag that no release uses. */
const testTag = 'test';
/** Name of the Compose project, and prefix of the projects that tests make. */
const projectName = `latchkey-test-${process.pid}`;

async function makeEnvFile(folder: string): Promise<string> {
  const path = join(folder, '.env');
  const cli = join(repositoryFolder, 'cli/src/main.ts');
  assert.equal(await runCommand(process.execPath, [cli, 'keygen', '--out', path]), 0);
  // Any free port. No drain, because there is no load balancer.
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
  const vitest = join(repositoryFolder, 'node_modules/vitest/vitest.mjs');
  const { ADMIN_API_KEY, AUTH_JWT_SECRET } = secrets;
  const env = { ...process.env, BASE_URL: url, ADMIN_API_KEY, AUTH_JWT_SECRET };
  const code = await runCommand(
    process.execPath,
    [vitest, 'run', '--root', repositoryFolder, ...listBlackBoxTests()],
    env,
  );
  assert.equal(code, 0, `the black-box tests passed against ${url}`);
}

/** The tests with their own settings start separate stacks, up to four in a file, each with four networks. */
async function checkOwnSettings(): Promise<void> {
  const others = new Set(listBlackBoxTests());
  const which = { ownSettings: true, containers: true };
  const files = listBlackBoxTests(which).filter((file) => !others.has(file));
  const vitest = join(repositoryFolder, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, TEST_CONTAINERS: testTag, TEST_CONTAINERS_NAME: projectName };
  const args = ['run', '--root', repositoryFolder, '--maxWorkers', '1', ...files];
  const code = await runCommand(process.execPath, [vitest, ...args], env);
  assert.deepEqual(await removeLeftoverStacks(`${projectName}-`), [], 'every test removed its stacks');
  assert.equal(code, 0, 'their black-box tests passed');
}

const engine = await findDockerEngine(process.env.DOCKER_HOST).catch((error: Error) => {
  console.log(`${error.message}\n0 passed, 1 failed`);
  process.exit(1);
});
console.log(engine);
const folder = mkdtempSync(join(tmpdir(), 'latchkey-compose-'));
const envFile = await makeEnvFile(folder);
const secrets = parseEnv(readFileSync(envFile, 'utf8'));
const headers = {
  authorization: `Bearer ${secrets.ADMIN_API_KEY}`,
  'content-type': 'application/json',
};
const project = await createComposeProject({ root: repositoryFolder, envFile, name: projectName });
const faults: unknown[] = [];
/** Rows of a table: what was measured | what was found. */
const measured: string[] = [];
let passed = 0;

// Table rows: what was measured | the result.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isInterrupted = true;
  });

async function step(name: string, run: () => Promise<void>): Promise<void> {
  if (isInterrupted) return;
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
  await step('every image builds', () =>
    project.run(['--profile', 'single', '--profile', 'edge', 'build', '--quiet']),
  );
  await step(`it comes up on an empty database, with ${replicas} replicas of key-derivation`, async () => {
    const startMs = performance.now();
    await project.run(['up', '--detach']);
    await allReplicasReady();
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    measured.push(`from an empty database to ready, with the images there | ${seconds} s`);
  });
  await step('its images and its processes are measured', async () => {
    await project.run(['up', '--detach', 'single-node']);
    await project.ready('single-node');
    const table = await measureImages(testTag, project.containers);
    console.log(table);
    writeFinding('images', table, 'npm test', ['compose']);
    await project.run(['--profile', 'single', 'rm', '--stop', '--force', 'single-node']);
  });
  const url = await project.url('gateway');
  await step('the black-box tests pass', () => checkBlackBox(url, secrets));
  await step('every replica takes its part of the key requests', async () => {
    await register(url, 'spread');
    const before = await project.keyRequests();
    for (let sent = 0; sent < requests; sent++) await fetchKey(url, 'spread');
    const after = await project.keyRequests();
    const parts = Object.entries(after).map(([id, count]) => count - (before[id] ?? 0));
    measured.push(`${requests} key requests, by replica | ${parts.join(' + ')}`);
    assert.equal(parts.length, replicas);
    for (const part of parts) assert.ok(Math.abs(part - requests / replicas) <= requests / 10);
  });
  await step('while one of them is killed, every key is served', async () => {
    const kill = () => project.killOne('key-derivation');
    const { sent, failures } = await sendRequestsDuring(() => fetchKey(url, 'spread'), kill);
    assert.deepEqual(failures, []);
    measured.push(
      `one of ${replicas} replicas killed (SIGKILL) in the middle of ${sent} key requests | ${failures.length} failed`,
    );
  });
  const table = ['| | |', '|---|---|', ...measured.map((row) => `| ${row} |`)].join('\n');
  console.log(table);
  writeFinding('compose', table, 'npm test', ['compose']);
  await step('it goes down and leaves nothing', () => project.remove());
  const documented = join(folder, 'documented');
  mkdirSync(documented);
  const ofDocument = { folder: documented, name: `${projectName}-documented`, tag: testTag, step };
  await runDocumentedOperations(ofDocument).catch((error) => faults.push(error));
  await step('the black-box tests with settings of their own pass', checkOwnSettings);
  await step('the single node keeps its content over a restart', async () => {
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
  await removeLeftoverStacks(`${projectName}-`).catch((error) => faults.push(error));
  rmSync(folder, { recursive: true, force: true });
}
if (isInterrupted) faults.push('interrupted');
console.log(`${passed} passed, ${faults.length} failed`);
process.exitCode = faults.length === 0 ? 0 : 1;
