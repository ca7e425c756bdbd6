import { randomBytes } from 'node:crypto';
import { runCli } from '../processes/run-cli.ts';
import type { ProcessKind } from './topology.ts';

/** A Postgres role for each service that has rows, as `latchkey migrate --roles` makes them. */
export interface DatabaseRoles {
  /** Migrates the database and makes the roles. @param code root folder of another release; this repository by default */
  migrate(code?: string): Promise<void>;
  /** The URL with the role of that process; unchanged for a process that has no role. */
  urlFor(kind: ProcessKind, url: string): string;
  /** Statements that drop the roles after their database: roles belong to the whole server. */
  readonly removal: readonly string[];
}

const services = ['auth', 'content', 'leases'] as const;
type Service = (typeof services)[number];

/**
 * @param databaseUrl of the owner, who may make roles
 * @param prefix of the names of the roles; each database of a server needs its own prefix, because it has its own passwords
 */
export function describeDatabaseRoles(databaseUrl: string, prefix: string): DatabaseRoles {
  const passwords: Record<string, string> = {};
  for (const service of services) passwords[service] = randomBytes(32).toString('hex');
  const variables = services.map((service) => [
    `${service.toUpperCase()}_DATABASE_PASSWORD`,
    passwords[service],
  ]);
  return {
    async migrate(code) {
      const env = { DATABASE_URL: databaseUrl, ...Object.fromEntries(variables) };
      await runCli(['migrate', `--roles=${prefix}`], env, code);
    },
    urlFor(kind, url) {
      if (!services.includes(kind as Service)) return url;
      const own = new URL(url);
      own.username = `${prefix}_${kind}`;
      own.password = passwords[kind] ?? '';
      return own.toString();
    },
    removal: services.map((service) => `drop role if exists ${prefix}_${service}`),
  };
}
