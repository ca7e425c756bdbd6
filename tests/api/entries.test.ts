import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { openTarget } from '@latchkey/support/black-box/target';
import { compileCache } from '@latchkey/support/processes/spawn-entry';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it } from 'vitest';

const { version } = JSON.parse(readFileSync(`${repositoryFolder}/package.json`, 'utf8')) as {
  version: string;
};
/** `services/content` is one of the services, which start alike. */
const entries = [
  'gateway/src/single-node.ts',
  'gateway/src/main.ts',
  'services/content/src/serve.ts',
  'cli/src/main.ts',
];
const server = await openTarget();

/** Speeds up the start, and configures nothing. */
const env = { NODE_COMPILE_CACHE: compileCache };

it.each(entries)('%s --version prints the release, without any configuration', async (entry) => {
  const run = promisify(execFile)(process.execPath, [entry, '--version'], { cwd: repositoryFolder, env });
  expect(await run).toEqual({ stdout: `${version}\n`, stderr: '' });
});

it('GET / redirects to the dashboard', async () => {
  const answer = await fetch(server.url, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/admin']);
  const followed = await fetch(server.url);
  expect([followed.status, followed.url]).toEqual([200, `${server.url}/admin`]);
});
