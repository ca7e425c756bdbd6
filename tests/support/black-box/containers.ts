import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createComposeProject } from '../compose-project.ts';
import { repositoryFolder } from '../repository.ts';
import { type Environment, makeFolder, type ServerProcess } from './server-process.ts';

const docker = async (...args: string[]) => (await promisify(execFile)('docker', args)).stdout.trim();
const hex = () => randomBytes(32).toString('hex');

/** The stack of compose.yaml, as one server. */
export interface Containers {
  url: string;
  /** The gateway's standard output, and the standard error of all. */
  process: ServerProcess;
  /** The address of this machine as the gateway sees it. */
  peer: string;
  /** Removes its containers, networks and volumes. */
  remove(): Promise<void>;
}

/**
 * Starts the stack of compose.yaml with these settings, under a project name of its own.
 *
 * @param version the tag of images that exist
 * @param namePrefix how the name of the project starts
 */
export async function startContainers(
  env: Environment,
  version: string,
  namePrefix: string,
): Promise<Containers> {
  const folder = makeFolder();
  const envFile = join(folder.path, '.env');
  const settings = {
    INTERNAL_SECRET: hex(),
    POSTGRES_PASSWORD: hex(),
    AUTH_DATABASE_PASSWORD: hex(),
    CONTENT_DATABASE_PASSWORD: hex(),
    LEASES_DATABASE_PASSWORD: hex(),
    LATCHKEY_VERSION: version,
    ...env,
    LATCHKEY_PORT: '0',
  };
  // An empty value counts as not set. compose.yaml requires that some variables are at least named.
  const lines = Object.entries(settings).map(([name, value = '']) => `${name}=${onOneLine(value)}\n`);
  writeFileSync(envFile, lines.join(''));
  const name = `${namePrefix}-${randomBytes(6).toString('hex')}`;
  const project = await createComposeProject({ root: repositoryFolder, envFile, name });
  const remove = async () => {
    await project.remove();
    folder.remove();
  };
  const output = { stdout: '', stderr: '' };
  let logs: Promise<unknown>;
  try {
    await project.run(['up', '--detach']);
    // The gateway is ready before the last service is.
    await project.ready('gateway', (report) => !withoutKeySets(report).includes('"status":"down"'));
    logs = followLogs(await containersOf(name), output);
  } catch (error) {
    await remove();
    throw error;
  }
  const url = await project.url('gateway');
  let ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }> | null = null;
  const end = async () => {
    await project.run(['stop']);
    // `docker logs` ends with its container, and may still hold lines then.
    await logs;
    const ids = await containersOf(name);
    const codes = await Promise.all(
      ids.map((id) => docker('inspect', '--format', '{{.State.ExitCode}}', id)),
    );
    return { code: Number(codes.find((code) => code !== '0') ?? 0), signal: null };
  };
  return {
    url,
    peer: await bridgeAddress(`${name}_edge`),
    process: {
      pid: 0,
      stdout: () => output.stdout,
      stderr: () => output.stderr,
      listens: async () => url,
      kill: () => {
        ended ??= end();
      },
      ended: async () => ended ?? { code: null, signal: null },
    },
    remove,
  };
}

/** Several lines in quotes, as Compose reads them. Other values go as they are: JSON has quotes of its own. */
const onOneLine = (value: string) => (value.includes('\n') ? JSON.stringify(value) : value);

/** A report of `/ready` without the key sets of issuers: the key sets of some tests can never be read. */
function withoutKeySets(report: string): string {
  return JSON.stringify(JSON.parse(report), (name, value) =>
    name.startsWith('issuer:') ? undefined : value,
  );
}

/**
 * The address of this machine on a network of Docker, which is the first of the subnet. Docker 20.10 does not show it for a new
 * `bridge`.
 */
export async function bridgeAddress(network: string): Promise<string> {
  const subnet = await docker('network', 'inspect', '--format', '{{(index .IPAM.Config 0).Subnet}}', network);
  return subnet.replace(/0\/\d+$/, '1');
}

/** The containers of Latchkey, the gateway first. Postgres, Redis and NATS end with codes of their own. */
async function containersOf(project: string): Promise<string[]> {
  const services = ['gateway', 'key-derivation', 'leases', 'auth', 'content', 'playback'];
  const found = await Promise.all(
    services.map((service) =>
      docker(
        'ps',
        '--all',
        '--quiet',
        ...['--filter', `label=com.docker.compose.project=${project}`],
        ...['--filter', `label=com.docker.compose.service=${service}`],
      ),
    ),
  );
  return found.flatMap((ids) => ids.split('\n')).filter((id) => id !== '');
}

/**
 * Collects the output: standard output of the gateway, and standard error of all.
 *
 * @param ids of containers, the gateway's first
 * @returns a promise that resolves when they have ended and all output was read
 */
function followLogs(ids: readonly string[], output: { stdout: string; stderr: string }): Promise<unknown> {
  return Promise.all(
    ids.map((id, index) => {
      const child = spawn('docker', ['logs', '--follow', id], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output.stderr += text;
      });
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (index === 0) output.stdout += text;
      });
      return new Promise((resolve) => child.once('close', resolve).once('error', resolve));
    }),
  );
}
