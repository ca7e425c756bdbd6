import { createRequire } from 'node:module';
import type pg from 'pg';
import type { parse } from 'pg-connection-string';
import { splitHosts } from '../net/index.ts';
import { explainTlsFault, type TlsFileSettings, type TlsFiles } from '../tls/index.ts';
import { isDatabaseUnavailable } from './database-fault.ts';
import { DatabaseIsStandby } from './postgres-session.ts';

export const databaseTlsVariables = {
  ca: 'DATABASE_CA_FILE',
  cert: 'DATABASE_CERT_FILE',
  key: 'DATABASE_KEY_FILE',
};

/** With the driver, as it is loaded. */
const loadModule = createRequire(import.meta.url);

export type PostgresTargets = ReturnType<typeof createPostgresTargets>;

/**
 * The servers of `DATABASE_URL`, of which one takes the writes.
 *
 * @param tls the files of `DATABASE_CA_FILE` and so on, or of the URL's `sslrootcert`; null if no file is named
 */
export function createPostgresTargets(databaseUrl: string, tls: TlsFiles | null) {
  const urls = splitHosts(databaseUrl);
  const files = tls?.settings ?? {};
  const configs = urls.map((url) => readTarget(url, files));
  const subject = {
    name: 'Postgres',
    urlVariable: 'DATABASE_URL',
    variables: databaseTlsVariables,
    settings: files,
  };
  let index = 0;
  return {
    count: urls.length,
    /** The place of the server that served last, or of the next one after it failed. */
    turn: () => index,
    /** The settings of a new connection to that server. */
    current(): pg.ClientConfig {
      const config = configs[index] as pg.ClientConfig;
      return tls ? { ...config, ssl: { ...(config.ssl as object), ...tls.current() } } : config;
    },
    /** That one failed: the next connection goes to the one after it. Without effect if another caller has moved on already. */
    leave(turn: number): void {
      if (turn === index) index = (index + 1) % urls.length;
    },
    /** In the words of an operator, where a certificate is the reason; else the error itself. */
    explain: (error: unknown): unknown => explainTlsFault(error, subject) ?? error,
    /** To say which server refused. */
    nameOf: (turn: number) => nameServer(urls[turn] as URL),
  };
}

/** Such as `db1:5432`. As for pg, a parameter may replace the host of the URL, which cannot hold the folder of a socket. */
export function nameServer({ hostname, port, searchParams }: URL): string {
  const host = searchParams.get('host') ?? hostname;
  return [host, searchParams.get('port') ?? port].filter((part) => part !== '').join(':');
}

/** They all verify the certificate and its name today, and the driver would warn of the next version, in which they do not. */
const aliasesOfVerifyFull: readonly (string | null)[] = ['prefer', 'require', 'verify-ca'];

/** As the driver reads a URL, with the files of the variables. */
function readTarget(url: URL, { ca, cert, key }: TlsFileSettings): pg.ClientConfig {
  const given = new URL(url);
  const { searchParams } = given;
  for (const [name, file] of Object.entries({ sslrootcert: ca, sslcert: cert, sslkey: key })) {
    if (file) searchParams.set(name, file.path);
    else searchParams.delete(name);
  }
  // The driver takes any other text for a yes.
  if (searchParams.get('ssl') === 'false') searchParams.set('ssl', '0');
  if (
    searchParams.get('uselibpqcompat') !== 'true' &&
    aliasesOfVerifyFull.includes(searchParams.get('sslmode'))
  )
    searchParams.set('sslmode', 'verify-full');
  const { parse: read }: { parse: typeof parse } = loadModule('pg-connection-string');
  // The driver takes this, too, though its types differ.
  return read(given.href) as object;
}

/** No server of `DATABASE_URL` can be used. */
class NoServerServes extends Error {
  readonly forOperator = true;
  /** The code that the only server reported, or SQLSTATE cannot_connect_now, as for a standby. */
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
 * @throws NoServerServes with the reason of each; the error of the only server, if it names the variable itself
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
