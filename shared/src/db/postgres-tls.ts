import { splitHosts } from '../net/index.ts';
import { openTlsFiles, type TlsFile, type TlsFileSettings, type TlsFiles } from '../tls/index.ts';
import type { PoolMode } from './postgres-session.ts';
import { databaseTlsVariables } from './postgres-targets.ts';

/** The settings of the connections to Postgres. */
export interface PostgresSettings {
  databaseUrl?: { reveal(): string } | undefined;
  databasePoolMode?: PoolMode | undefined;
  databaseCaFile?: string | undefined;
  databaseCertFile?: string | undefined;
  databaseKeyFile?: string | undefined;
}

/** The variables cannot hold together. */
class TlsContradiction extends Error {
  readonly forOperator = true;
}

/**
 * Opens the files for TLS that the variables name, else the files that the URL names (`sslrootcert`, `sslcert`, `sslkey`).
 *
 * @returns `tls` is null on SQLite, and if no file is named
 * @throws TlsFileRefused for a file that cannot be used
 */
export function openPostgresOptions(
  values: PostgresSettings,
  options: Parameters<typeof openTlsFiles>[1],
): { poolMode: PoolMode; tls: TlsFiles | null } {
  const poolMode = values.databasePoolMode ?? 'auto';
  const [first] = values.databaseUrl ? splitHosts(values.databaseUrl.reveal()) : [];
  if (!first) return { poolMode, tls: null };
  const { searchParams } = first;
  const find = (kind: keyof TlsFileSettings, path: string | undefined, parameter: string) => {
    const named = searchParams.get(parameter);
    const file: TlsFile | undefined =
      path !== undefined
        ? { variable: databaseTlsVariables[kind], path }
        : // libpq's word for the CAs of the machine.
          named && named !== 'system'
          ? { variable: `${parameter} in DATABASE_URL`, path: named }
          : undefined;
    return file ? { [kind]: file } : {};
  };
  const settings: TlsFileSettings = {
    ...find('ca', values.databaseCaFile, 'sslrootcert'),
    ...find('cert', values.databaseCertFile, 'sslcert'),
    ...find('key', values.databaseKeyFile, 'sslkey'),
  };
  const [named] = Object.values(settings) as TlsFile[];
  if (!named) return { poolMode, tls: null };
  if (searchParams.get('sslmode') === 'disable')
    throw new TlsContradiction(
      `${named.variable} is set, but sslmode=disable in DATABASE_URL turns TLS off. Accepted: sslmode=verify-full, or none of the two`,
    );
  return { poolMode, tls: openTlsFiles(settings, options) };
}
