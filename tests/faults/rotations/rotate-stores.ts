import { setTimeout as pause } from 'node:timers/promises';
import { makePassword, type ProtectedPostgres } from './protected-stores.ts';
import type { RotatedStack } from './rotated-stack.ts';
import type { Rotation, Scene } from './rotation.ts';
import { databaseSecretOf, roleOf, servicesWithRole } from './separate-services.ts';
import { nodeRole } from './single-nodes.ts';

/** While server and file disagree: long enough for an operator's next command, and for hundreds of requests. */
const gapMs = 3_000;
/** More requests at once than the ten connections of a pool. */
const burst = 60;

/** A process must then make a new connection, with the password that only one side has. */
async function letGapPass({ load }: Scene): Promise<void> {
  load.burst(burst);
  await pause(gapMs);
  load.burst(burst);
}

/** Waits until each process has connected again, and none still says what it saw before. */
async function waitReconnected({ waitWhole }: RotatedStack): Promise<void> {
  await pause(gapMs);
  await waitWhole();
}

interface Login {
  secret: string;
  role: string;
}

const loginsOf = ({ profile }: RotatedStack): Login[] =>
  profile === 'separate services'
    ? servicesWithRole.map((service) => ({ secret: databaseSecretOf(service), role: roleOf(service) }))
    : [{ secret: 'DATABASE_URL', role: nodeRole }];

function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.toString();
}

/** @param order of the two steps that cannot happen at the same moment */
async function rotateDatabase(
  scene: Scene,
  order: 'file first' | 'role first',
): Promise<() => Promise<void>> {
  const { stack } = scene;
  const postgres = stack.stores.postgres as ProtectedPostgres;
  const logins = loginsOf(stack).map((login) => {
    const old = stack.secrets.read(login.secret);
    const password = makePassword();
    return { ...login, old, password, next: withPassword(old, password) };
  });
  const changeFiles = () => {
    for (const { secret, next } of logins) stack.secrets.write(secret, next);
  };
  const changeRoles = async () => {
    for (const { role, password } of logins) await postgres.setPassword(role, password);
  };
  const [first, second] = order === 'file first' ? [changeFiles, changeRoles] : [changeRoles, changeFiles];
  await first();
  await letGapPass(scene);
  await second();
  return () =>
    proveDatabase(
      scene,
      logins.map(({ old }) => old),
    );
}

/** As where the URL is a variable: a running process cannot learn the new password, and serves by the connections that are open. */
async function restartWithPassword(scene: Scene): Promise<() => Promise<void>> {
  const { stack } = scene;
  const postgres = stack.stores.postgres as ProtectedPostgres;
  const logins = loginsOf(stack).map((login) => ({ ...login, password: makePassword() }));
  const urls = logins.map(({ secret, role, password }) => ({
    service: role.split('_').at(-1) ?? '',
    secret,
    old: stack.secrets.read(secret),
    next: withPassword(stack.secrets.read(secret), password),
  }));
  for (const { role, password } of logins) await postgres.setPassword(role, password);
  scene.load.burst(burst);
  const urlOf = (name: string) => urls.find(({ service }) => name.startsWith(service));
  await stack.restartInTurn((name) => {
    const url = urlOf(name);
    return url ? { DATABASE_URL: url.next, DATABASE_URL_FILE: undefined } : null;
  });
  for (const { secret, next } of urls) stack.secrets.write(secret, next);
  return async () => {
    await proveDatabase(
      scene,
      urls.map(({ old }) => old),
    );
    // With their files again, for the next rotation.
    await stack.restartInTurn((name) => (urlOf(name) ? {} : null));
  };
}

async function proveDatabase({ stack, checks }: Scene, oldUrls: readonly string[]): Promise<void> {
  const postgres = stack.stores.postgres as ProtectedPostgres;
  const oldOnes = await Promise.all(oldUrls.map(postgres.accepts));
  checks.check('Postgres refuses the old passwords', !oldOnes.includes(true));
  await postgres.endSessions();
  await waitReconnected(stack);
  checks.check('every process has logged in with its new password', true);
}

async function rotateRedis({ stack, checks, load }: Scene): Promise<() => Promise<void>> {
  const { redis } = stack.stores;
  if (!redis) throw new Error('this profile has no Redis');
  const old = stack.secrets.read('REDIS_URL');
  const password = makePassword();
  redis.addPassword(password);
  load.burst(burst);
  stack.secrets.write('REDIS_URL', withPassword(old, password));
  redis.removePassword(new URL(old).password);
  redis.endConnections();
  return async () => {
    checks.check('Redis refuses the old password', !redis.accepts(new URL(old).password));
    await waitReconnected(stack);
    checks.check('every process has connected to Redis with the new password', true);
  };
}

async function rotateNats(scene: Scene, order: 'file first' | 'server first'): Promise<() => Promise<void>> {
  const { stack, checks } = scene;
  const { nats } = stack.stores;
  if (!nats) throw new Error('this profile has no NATS');
  const old = stack.secrets.read('NATS_URL');
  const password = makePassword();
  const changeFile = () => stack.secrets.write('NATS_URL', withPassword(old, password));
  const changeServer = () => nats.setPassword(password);
  const [first, second] = order === 'file first' ? [changeFile, changeServer] : [changeServer, changeFile];
  await first();
  await letGapPass(scene);
  await second();
  return async () => {
    checks.check('NATS refuses the old password', !(await nats.accepts(new URL(old).password)));
    await waitReconnected(stack);
    checks.check('every process has connected to NATS with the new password', true);
  };
}

/** The passwords by which the processes log in to their stores. */
export const storeRotations: readonly Rotation[] = [
  {
    name: 'database password, file first',
    profiles: ['single node on Postgres', 'separate services'],
    rotate: (scene) => rotateDatabase(scene, 'file first'),
  },
  {
    name: 'database password, role first',
    profiles: ['single node on Postgres', 'separate services'],
    rotate: (scene) => rotateDatabase(scene, 'role first'),
  },
  {
    name: 'database password as a variable, with restarts',
    profiles: ['separate services'],
    rotate: restartWithPassword,
  },
  { name: 'Redis password', profiles: ['separate services'], rotate: rotateRedis },
  {
    name: 'NATS password, file first',
    profiles: ['separate services'],
    rotate: (scene) => rotateNats(scene, 'file first'),
  },
  {
    name: 'NATS password, server first',
    profiles: ['separate services'],
    rotate: (scene) => rotateNats(scene, 'server first'),
  },
];
