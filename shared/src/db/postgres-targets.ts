import type pg from 'pg';
import { splitHosts } from '../net/index.ts';
import { explainTlsFault, type TlsFiles, type TlsMaterial } from '../tls/index.ts';
import { isDatabaseUnavailable } from './database-fault.ts';
import { DatabaseIsStandby } from './postgres-session.ts';

/** The servers of `DATABASE_URL`, of which one takes the writes. */
export interface PostgresTargets {
  readonly count: number;
  /** What a new connection needs to reach the server that served last, or the next one after it failed, as the user of a login. */
  current(login: string): pg.ClientConfig;
  /** The place of that server in the list. */
  turn(): number;
  /** That one failed: the next connection goes to the one after it. Without effect if another caller has moved on already. */
  leave(turn: number): void;
  /** In the words of an operator, where a certificate is the reason; else the error itself. */
  explain(error: unknown): unknown;
  /** Such as `db1:5432`, to say which server refused. */
  nameOf(turn: number): string;
}

export const databaseTlsVariables = {
  ca: 'DATABASE_CA_FILE',
  cert: 'DATABASE_CERT_FILE',
  key: 'DATABASE_KEY_FILE',
};

/**
 * @param databaseUrl with any login: each connection has its own
 * @param tls the files of `DATABASE_CA_FILE` and so on, or of the URL's `sslrootcert`; null if no file is named
 */
export function createPostgresTargets(databaseUrl: string, tls: TlsFiles | null): PostgresTargets {
  const urls = splitHosts(databaseUrl);
  const subject = {
    name: 'Postgres',
    urlVariable: 'DATABASE_URL',
    variables: databaseTlsVariables,
    settings: tls?.settings ?? {},
  };
  let index = 0;
  return {
    count: urls.length,
    turn: () => index,
    current: (login) => readTarget(splitHosts(login)[index] as URL, tls?.current()),
    leave(turn) {
      if (turn === index) index = (index + 1) % urls.length;
    },
    explain: (error) => explainTlsFault(error, subject) ?? error,
    nameOf: (turn) => hostOf(urls[turn] as URL),
  };
}

/** All of a URL of Postgres but its user and password, which may be parameters too. */
export function placeOfPostgres(databaseUrl: string): string {
  return splitHosts(databaseUrl)
    .map((url) => {
      const { protocol, host, pathname, searchParams } = url;
      const others = [...searchParams].filter(([name]) => name !== 'user' && name !== 'password');
      return JSON.stringify([protocol, host, pathname, others]);
    })
    .join();
}

/** Of the URL itself: its host may be replaced by a parameter, since it cannot hold the folder of a socket. */
function hostOf({ hostname, port, searchParams }: URL): string {
  const host = searchParams.get('host') ?? hostname;
  return [host, searchParams.get('port') ?? port].filter((part) => part !== '').join(':');
}

/** As the driver reads a URL, except for `ssl…`: it would read the files of the URL at each connection without saying which is wrong. */
function readTarget(url: URL, material: TlsMaterial | undefined): pg.ClientConfig {
  const { username, password, hostname, port, pathname, searchParams } = url;
  const parameters = Object.fromEntries(searchParams);
  const host = parameters.host ?? hostname.replace(/^\[(.+)\]$/, '$1');
  const ssl = readSsl(parameters, material);
  for (const name of [...handled, 'sslmode', 'ssl', 'uselibpqcompat', 'target_session_attrs'])
    delete parameters[name];
  const database = pathname.slice(1);
  return {
    ...parameters,
    ...(host === '' ? {} : { host: decodeURIComponent(host) }),
    ...(parameters.port || port ? { port: Number(parameters.port ?? port) } : {}),
    ...(parameters.user || username ? { user: parameters.user ?? decodeURIComponent(username) } : {}),
    ...(parameters.password || password
      ? { password: parameters.password ?? decodeURIComponent(password) }
      : {}),
    ...(database === '' ? {} : { database: decodeURI(database) }),
    ...(ssl === undefined ? {} : { ssl }),
  };
}

/** Files that the URL names, which `tls` has read. */
const handled = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * `sslmode` as the driver understands it today: all but `disable` and `no-verify` verify the certificate and its name. With
 * `uselibpqcompat=true` it means what it means to libpq. A file without a mode means `verify-full`.
 *
 * @returns undefined where the URL says nothing of TLS: then `PGSSLMODE` decides
 */
function readSsl(
  { sslmode, ssl, uselibpqcompat }: Record<string, string | undefined>,
  material: TlsMaterial | undefined,
): pg.ClientConfig['ssl'] {
  if (sslmode === 'disable' || ssl === 'false' || ssl === '0') return false;
  if (sslmode === undefined && ssl === undefined && !material) return undefined;
  const files = { ...material };
  if (sslmode === 'no-verify' || ssl === 'no-verify') return { ...files, rejectUnauthorized: false };
  if (uselibpqcompat !== 'true') return files;
  const checksName = sslmode === undefined || sslmode === 'verify-full';
  const checksCa = checksName || sslmode === 'verify-ca' || (sslmode === 'require' && files.ca !== undefined);
  if (!checksCa) return { ...files, rejectUnauthorized: false };
  return checksName ? files : { ...files, checkServerIdentity: () => undefined };
}

/** No server of `DATABASE_URL` can be used. */
class NoServerServes extends Error {
  readonly forOperator = true;
  /** That of the only server, or SQLSTATE cannot_connect_now, as for a standby. */
  readonly code: string;

  constructor(message: string, cause: unknown, code = '57P03') {
    super(message, { cause });
    this.code = code;
  }
}

/** pg-pool, where all connections are in use: another server would not help. */
const isPoolFull = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

/** Whether an error of the network or of Postgres itself does not name the variable that leads there. */
const lacksVariable = (error: unknown) =>
  isDatabaseUnavailable(error) && !(error instanceof Error && 'forOperator' in error);

/**
 * Connects to the server that takes writes, as libpq does for `target_session_attrs=read-write`. A standby refuses itself
 * (`DatabaseIsStandby`).
 *
 * @throws NoServerServes with the reason of each; the error of the only server, where it names the variable itself
 */
export async function connectToAny(
  connect: () => Promise<pg.PoolClient>,
  targets: PostgresTargets,
): Promise<pg.PoolClient> {
  const reasons = new Map<number, unknown>();
  for (;;) {
    const turn = targets.turn();
    try {
      return await connect();
    } catch (cause) {
      const error = targets.explain(cause);
      if (isPoolFull(cause)) throw error;
      if (targets.count === 1 && !lacksVariable(error)) throw error;
      reasons.set(turn, error);
      targets.leave(turn);
      if (!reasons.has(targets.turn())) continue;
      // In the order of the list, so that the same outage has the same text.
      const said = [...reasons]
        .sort(([a], [b]) => a - b)
        .map(([each, reason]) => `${targets.nameOf(each)}: ${describe(reason)}`);
      const code = targets.count === 1 ? (error as NodeJS.ErrnoException).code : undefined;
      throw new NoServerServes(`no server of DATABASE_URL can be used: ${said.join('; ')}`, error, code);
    }
  }
}

function describe(error: unknown): string {
  if (error instanceof DatabaseIsStandby) return 'it is a standby';
  // The error of a host with several addresses has no message of its own.
  return error instanceof Error
    ? error.message || (error as NodeJS.ErrnoException).code || error.name
    : String(error);
}
