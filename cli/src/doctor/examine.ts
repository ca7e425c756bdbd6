import type { Clock } from '@latchkey/shared/clock';
import { isForSeparateServices, type SingleNodeValues } from '@latchkey/shared/config';
import { readEnvFile } from '../keys/read-env-file.ts';
import type { Variables } from '../keys/read-variable.ts';
import { examineConfiguration } from './examine-configuration.ts';
import { examineDatabase } from './examine-database.ts';
import { examineKeySet } from './examine-key-set.ts';
import { examineNames } from './examine-names.ts';
import { examinePort } from './examine-port.ts';
import { examineSecretsFile } from './examine-secrets-file.ts';
import type { Finding } from './finding.ts';

export interface Patient {
  env: Variables;
  envFile: string | undefined;
  clock: Clock;
}

/** Looks at everything that keeps a server from starting or from serving. Changes nothing. */
export async function examine({ env, envFile, clock }: Patient): Promise<Finding[]> {
  const given = { ...(envFile === undefined ? {} : await readEnvFile(envFile)), ...env };
  const { kept, path: secretsFile, found: foundInFile } = examineSecretsFile(given);
  const all = { ...given, ...kept };
  const findings: Finding[] = [...examineNames(all), ...foundInFile];
  const { values, willBeMade, found } = examineConfiguration(all);
  findings.push(...found);
  if (!values) return findings;
  findings.push(...examineExposure(values));
  const database = await examineDatabase(values, isForSeparateServices(all));
  // A start that ends at its database makes nothing, and beside a master key that the database knows no other is made.
  if (!database.some(({ state }) => state === 'wrong')) {
    findings.push(...describeFirstRun(willBeMade, values, secretsFile));
  }
  findings.push(...database);
  if (values.authJwksUrl) findings.push(await examineKeySet(values.authJwksUrl));
  findings.push(await examinePort(values.port, clock));
  return findings;
}

function describeFirstRun(
  willBeMade: readonly string[],
  { sqlitePath, databaseUrl }: SingleNodeValues,
  secretsFile: string,
): Finding[] {
  const says =
    sqlitePath === ':memory:' && !databaseUrl
      ? 'is not set; will be made at every start, and kept nowhere'
      : `is not set; will be made at the first start, and kept in ${secretsFile}`;
  return willBeMade.map((about) => ({ state: 'ok', about, says }));
}

/** What is allowed and still worth a second look. */
function examineExposure(values: SingleNodeValues): Finding[] {
  const found: Finding[] = [];
  if (values.corsOrigins.length === 0) {
    found.push({
      state: 'warning',
      about: 'CORS_ORIGINS',
      says: 'is not set, so no page from another origin can fetch keys',
      mend: 'set it to the origin of your player page, such as https://video.example.com, unless players are apps',
    });
  }
  if (values.viewerTokenFrom.includes('query')) {
    found.push({
      state: 'warning',
      about: 'VIEWER_TOKEN_FROM',
      says: 'allows tokens in the query, which proxies and browsers write down',
      mend: 'keep such tokens short-lived, and leave `query` out unless native HLS players need it',
    });
  }
  if (values.leaseMode === 'optional') {
    found.push({
      state: 'ok',
      about: 'LEASE_MODE',
      says: 'is optional: a viewer without a lease gets keys until a mark says otherwise; `required` counts every viewer',
    });
  }
  return found;
}
