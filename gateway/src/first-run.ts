import {
  type Environment,
  makeMissingSecrets,
  readKeptSecrets,
  readSecretsFile,
  readSingleNodeConfig,
  type SecretsFile,
  type SingleNodeValues,
} from '@latchkey/shared/config';

/** The configuration of a single node, with what an earlier run kept and what this one has made because it was missing. */
export interface NodeConfiguration {
  readonly values: SingleNodeValues;
  readonly warnings: readonly string[];
  /** By the names of variables; empty where nothing was missing. */
  readonly made: Readonly<Record<string, string>>;
  /** Where that is to be kept, as it was when this was read. */
  readonly file: SecretsFile;
}

/**
 * Reads the configuration. Nothing is written: what is made here counts once it has been kept.
 *
 * @throws ConfigError with every fault together; the error of the operating system where the kept secrets cannot be read
 */
export function readNodeConfiguration(
  env: Environment,
  randomBytes: (size: number) => Buffer,
): NodeConfiguration {
  const file = readSecretsFile(env);
  const kept = readKeptSecrets(file, env);
  // A variable that is set to nothing counts as not set, so what was kept goes over it.
  const known = { ...env, ...kept.values };
  const made = makeMissingSecrets(known, randomBytes);
  const { values, warnings } = readSingleNodeConfig({ ...known, ...made });
  return { values, warnings: [...warnings, ...kept.warnings], made, file };
}
