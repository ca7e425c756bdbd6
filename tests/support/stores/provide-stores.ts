import { hasApt, installPackages } from '../debian-packages.ts';
import { installVariable, mayInstall } from '../provide-tool.ts';
import { hasDocker, startContainer } from './container-stores.ts';
import { findProgram, ownStores, type StoreName } from './own-stores.ts';

const variables: Record<StoreName, string> = {
  Postgres: 'TEST_POSTGRES_URL',
  Redis: 'TEST_REDIS_URL',
  NATS: 'TEST_NATS_URL',
};

/** The parts of the machine that `provideStores` reads and changes. A test passes a simulated one. */
export interface StoreMachine {
  env: Readonly<Record<string, string | undefined>>;
  hasDocker(): Promise<boolean>;
  startContainer(name: StoreName): Promise<Provided>;
  /** Whether the program of the store is installed. */
  isInstalled(name: StoreName): boolean;
  /** Starts the installed program. */
  startProgram(name: StoreName): Promise<Provided>;
  hasApt(): boolean;
  install(debianPackages: readonly string[]): boolean;
  say(line: string): void;
}

/** A running store. */
export interface Provided {
  url: string;
  stop(): Promise<void>;
}

/** The stores that the tests get. */
export interface ProvidedStores {
  /** By the names that the tests read: `TEST_POSTGRES_URL` and so on. */
  variables: Record<string, string>;
  missing: StoreName[];
  /** Ends the stores that were started here. */
  stop(): Promise<void>;
}

/**
 * Provides stores, all at once. Each comes from the first of these:
 *
 * 1. the URL in its variable (`TEST_POSTGRES_URL`, `TEST_REDIS_URL`, `TEST_NATS_URL`)
 * 2. a container, if a Docker daemon answers
 * 3. the machine's own program, on a free loopback port
 * 4. its Debian package, as root on Debian. It stays installed. A message says first what, why, and how to avoid it, and
 *    `TEST_INSTALL=false` prevents it.
 *
 * A message names each store that could not be provided.
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
    stop: async () => void (await Promise.allSettled([...started.values()].map((store) => store.stop()))),
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
  machine.install(packages);
}

/** The machine of this process. */
export const thisMachine: StoreMachine = {
  env: process.env,
  hasDocker,
  startContainer,
  isInstalled: (name) => findProgram(ownStores[name].program) !== undefined,
  startProgram: (name) => ownStores[name].start(),
  hasApt,
  install: installPackages,
  say: (line) => process.stderr.write(`${line}\n`),
};
