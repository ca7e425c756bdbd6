import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
import { ConfigError, readSingleNodeConfig, type SingleNodeValues } from '@latchkey/shared/config';
import { readEnvFile } from '../keys/read-env-file.ts';
import type { Variables } from '../keys/read-variable.ts';
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
  const kept = join(dirname(given.SQLITE_PATH || 'data/latchkey.db'), 'latchkey.env');
  const all = { ...(existsSync(kept) ? await readEnvFile(kept) : {}), ...given };
  const findings: Finding[] = [...examineNames(all), ...examineSecretsFile(kept)];
  const { values, found } = examineConfiguration(all);
  findings.push(...found);
  if (!values) return findings;
  findings.push(...examineExposure(values));
  findings.push(...(await examineDatabase(values)));
  if (values.authJwksUrl) findings.push(await examineKeySet(values.authJwksUrl));
  findings.push(await examinePort(values.port, clock));
  return findings;
}

function examineConfiguration(env: Variables): { values: SingleNodeValues | null; found: Finding[] } {
  try {
    const { values, warnings } = readSingleNodeConfig(env);
    const found: Finding[] = warnings.map((says) => ({ state: 'warning', about: 'configuration', says }));
    found.unshift({ state: 'ok', about: 'configuration', says: 'every variable can be used' });
    return { values, found };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const found = error.faults.map(
      ({ variable, message }): Finding => ({ state: 'wrong', about: variable, says: message }),
    );
    return { values: null, found };
  }
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
