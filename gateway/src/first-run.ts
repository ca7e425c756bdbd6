import {
  type Environment,
  makeMissingSecrets,
  readKeptSecrets,
  readSecretsFile,
  readSingleNodeConfig,
  type SecretsFile,
  type SingleNodeValues,
} from '@latchkey/shared/config';

/** The configuration of a single node, with the secrets that an earlier run kept and those that this run has made. */
export interface NodeConfiguration {
  readonly values: SingleNodeValues;
  readonly warnings: readonly string[];
  /** By the names of variables; empty if nothing was missing. */
  readonly made: Readonly<Record<string, string>>;
  /** Where the secrets are kept, as the file was when it was read. */
  readonly file: SecretsFile;
}

/**
 * Reads the configuration and makes the secrets that are missing. It writes nothing: `keepSecrets` does.
 *
 * @throws ConfigError with every fault together; the error of the operating system if the kept secrets cannot be read
 */
export function readNodeConfiguration(
  env: Environment,
  randomBytes: (size: number) => Buffer,
): NodeConfiguration {
  const file = readSecretsFile(env);
  const kept = readKeptSecrets(file, env);
  // An empty variable counts as not set, so the kept secret replaces it.
  const known = { ...env, ...kept.values };
  const made = makeMissingSecrets(known, randomBytes);
  const { values, warnings } = readSingleNodeConfig({ ...known, ...made });
  return { values, warnings: [...warnings, ...kept.warnings], made, file };
}
