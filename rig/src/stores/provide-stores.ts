import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { installVariable, mayInstall } from '../provide-tool.ts';
import { hasDocker, startContainer } from './container-stores.ts';
import { findProgram, ownStores, type StoreName } from './own-stores.ts';

const variables: Record<StoreName, string> = {
  Postgres: 'TEST_POSTGRES_URL',
  Redis: 'TEST_REDIS_URL',
  NATS: 'TEST_NATS_URL',
};

/** What `provideStores` reads and changes on the machine; a test passes a simulated one. */
export interface StoreMachine {
  env: Readonly<Record<string, string | undefined>>;
  hasDocker(): Promise<boolean>;
  startContainer(name: StoreName): Promise<Provided>;
  /** Whether the service's program is installed. */
  isInstalled(name: StoreName): boolean;
  /** Starts the installed program. */
  startProgram(name: StoreName): Promise<Provided>;
  /** Whether Debian packages can be installed: Debian or a child of it, as root. */
  hasApt(): boolean;
  /** Installs Debian packages; false where that failed. */
  install(debianPackages: readonly string[]): Promise<boolean>;
  say(line: string): void;
}

/** A running service and how to end it. */
export interface Provided {
  url: string;
  stop(): Promise<void>;
}

/** The stores that the tests get. */
export interface ProvidedStores {
  /** By the names that the tests read: `TEST_POSTGRES_URL` and so on. */
  variables: Record<string, string>;
  missing: StoreName[];
  /** Ends the services that were started here. */
  stop(): Promise<void>;
}

/**
 * Provides services, all at once, each from the first of: the URL in its variable (`TEST_POSTGRES_URL`, `TEST_REDIS_URL`,
 * `TEST_NATS_URL`), a container where a Docker daemon answers, the machine's own program on a free loopback port, and, on
 * Debian as root, its package, which stays installed. Before it installs anything it says what, why, and how to avoid it.
 * `TEST_INSTALL=false` prevents it. It names each store that it could not provide.
 */
export async function provideStores(
  names: readonly StoreName[],
  machine: StoreMachine = thisMachine,
): Promise<ProvidedStores> {
  const open = names.filter((name) => !machine.env[variables[name]]);
  const started = new Map<StoreName, Provided>();
  if (open.length > 0) {
    const docker = await machine.hasDocker();
    if (docker) await startAll(open, machine.startContainer, started, machine);
    const left = open.filter((name) => !started.has(name));
    await installMissing(left, machine);
    const installed = left.filter((name) => machine.isInstalled(name));
    await startAll(installed, machine.startProgram, started, machine);
  }
  const missing = open.filter((name) => !started.has(name));
  for (const name of missing) {
    machine.say(`There is no ${name}: set ${variables[name]}, start Docker, or install it.`);
  }
  return {
    variables: Object.fromEntries([...started].map(([name, { url }]) => [variables[name], url])),
    missing,
    stop: async () => void (await Promise.allSettled([...started.values()].map((service) => service.stop()))),
  };
}

async function startAll(
  names: readonly StoreName[],
  start: (name: StoreName) => Promise<Provided>,
  started: Map<StoreName, Provided>,
  machine: StoreMachine,
): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      try {
        started.set(name, await start(name));
      } catch (error) {
        machine.say(`${name} did not start this way: ${error instanceof Error ? error.message : error}`);
      }
    }),
  );
}

async function installMissing(names: readonly StoreName[], machine: StoreMachine): Promise<void> {
  const packages = names
    .filter((name) => !machine.isInstalled(name))
    .map((name) => ownStores[name].debianPackage);
  if (packages.length === 0 || !mayInstall(machine)) return;
  const lacking = names.filter((name) => !machine.isInstalled(name));
  machine.say(
    `This run needs ${lacking.join(', ')}, and neither Docker nor a program on this machine provides them. ` +
      `Running apt-get update and apt-get install ${packages.join(' ')}. To avoid this, set ` +
      `${lacking.map((name) => variables[name]).join(', ')}, start Docker, or set ${installVariable}=false to install nothing: ` +
      'the tests that need them are then skipped.',
  );
  await machine.install(packages);
}

/** The machine of this process. */
export const thisMachine: StoreMachine = {
  env: process.env,
  hasDocker,
  startContainer,
  isInstalled: (name) => findProgram(ownStores[name].program) !== undefined,
  startProgram: (name) => ownStores[name].start(),
  hasApt: () => existsSync('/etc/debian_version') && process.getuid?.() === 0,
  install: async (packages) =>
    (await apt('update')) && (await apt('install', '-y', '--no-install-recommends', ...packages)),
  say: (line) => process.stderr.write(`${line}\n`),
};

function apt(...args: string[]): Promise<boolean> {
  // Waits two minutes for another run of apt on a machine that has just started. In run level 1 Debian starts no service.
  const child = spawn('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
