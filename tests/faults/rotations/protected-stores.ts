import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { changeNatsSettings, commandRedis, requirePasswords } from '@latchkey/support/stores/changed-users';
import { startNatsVariant } from '@latchkey/support/stores/nats-variants';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { startRedisVariant } from '@latchkey/support/stores/redis-variants';
import { withPostgres } from '../stack/with-postgres.ts';

/** A store whose users' passwords change. */
interface ProtectedStore {
  stop(): Promise<void>;
}

export interface ProtectedPostgres extends ProtectedStore {
  /** Of the superuser, who needs no password. */
  ownerUrl: string;
  setPassword(role: string, password: string): Promise<void>;
  /** Ends the sessions of all others, so that each needs a new login. */
  endSessions(): Promise<void>;
  /** Whether a login with this URL succeeds. */
  accepts(url: string): Promise<boolean>;
}

export interface ProtectedRedis extends ProtectedStore {
  url: string;
  /** Makes this the password of the user, besides the earlier ones. */
  addPassword(password: string): void;
  /** Takes a password away. Connections stay. */
  removePassword(password: string): void;
  /** Closes all connections of the user. */
  endConnections(): void;
  accepts(password: string): boolean;
}

export interface ProtectedNats extends ProtectedStore {
  url: string;
  /** Replaces the password. NATS closes the connections of the user. */
  setPassword(password: string): Promise<void>;
  accepts(password: string): Promise<boolean>;
}

/** Hexadecimal, so that it needs no escaping in a URL. */
export const makePassword = () => randomBytes(24).toString('hex');

/** The user of Redis and NATS. */
const storeUser = 'latchkey';

export async function startProtectedPostgres(): Promise<ProtectedPostgres> {
  const server = await startOwnPostgres();
  await requirePasswords(server);
  return {
    ownerUrl: server.url,
    stop: server.stop,
    setPassword: (role, password) =>
      withPostgres(server.url, async (client) => {
        await client.query(`alter role ${role} password '${password}'`);
      }),
    endSessions: () =>
      withPostgres(server.url, async (client) => {
        await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where usename <> 'postgres'`,
        );
      }),
    accepts: (url) =>
      withPostgres(url, async () => {}).then(
        () => true,
        () => false,
      ),
  };
}

export async function startProtectedRedis(): Promise<ProtectedRedis> {
  let password = makePassword();
  const server = await startRedisVariant({ user: { name: storeUser, password } });
  const command = (...words: string[]) => commandRedis(server.port, { name: storeUser, password }, words);
  return {
    url: server.url,
    stop: server.stop,
    addPassword(next) {
      command('acl', 'setuser', storeUser, `>${next}`);
      password = next;
    },
    removePassword: (old) => void command('acl', 'setuser', storeUser, `<${old}`),
    endConnections: () => void command('client', 'kill', 'user', storeUser, 'skipme', 'yes'),
    accepts: (given) =>
      /PONG/.test(commandRedis(server.port, { name: storeUser, password: given }, ['ping'])),
  };
}

export async function startProtectedNats(): Promise<ProtectedNats> {
  const first = makePassword();
  const lines = (password: string) => `authorization { user: ${storeUser}, password: "${password}" }`;
  const server = await startNatsVariant({ lines: [lines(first)] });
  return {
    url: server.url.replace('//', `//${storeUser}:${first}@`),
    stop: server.stop,
    setPassword: (next) =>
      changeNatsSettings(server, (settings) => settings.replace(/authorization .*/, lines(next))),
    accepts: (password) => logInToNats(server.port, password),
  };
}

/** The first messages of a client (docs.nats.io, "Client Protocol"): NATS answers PONG after a login that it accepts. */
function logInToNats(port: number, pass: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => {
    const login = JSON.stringify({ user: storeUser, pass, verbose: false, pedantic: false });
    socket.write(`CONNECT ${login}\r\nPING\r\n`);
  });
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (/PONG|-ERR/.test(said)) resolve(!said.includes('-ERR'));
  });
  socket.once('error', reject);
  socket.once('close', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
