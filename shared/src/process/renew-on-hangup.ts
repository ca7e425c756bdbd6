import {
  ConfigError,
  type Environment,
  readsFiles,
  renewSecrets,
  type Settings,
  type Values,
} from '../config/index.ts';
import type { OperatorLog } from '../log/index.ts';
import type { Metrics } from '../metrics/metrics.ts';

interface RenewalOptions<S extends Settings> {
  settings: S;
  env: Environment;
  /** Those in use. */
  values: Values<S>;
  /** Reads all of them again. @throws ConfigError */
  read: () => Values<S>;
  log: OperatorLog;
  metrics: Pick<Metrics, 'countConfigurationRead'>;
}

/**
 * What SIGHUP does where variables come from files: the files are read again, and the secrets that may change while the process runs
 * take their new values together. A fault of any variable leaves all of them as they were.
 *
 * @returns to be called at each SIGHUP; null where no variable comes from a file
 */
export function createRenewal<S extends Settings>(options: RenewalOptions<S>): (() => void) | null {
  const { settings, env, values, read, log, metrics } = options;
  const count = metrics.countConfigurationRead;
  if (!readsFiles(settings, env)) return null;
  return () => {
    let fresh: Values<S>;
    try {
      fresh = read();
    } catch (error) {
      const why = error instanceof ConfigError ? error.faults.map(({ message }) => message).join(' ') : '';
      log.error(
        `SIGHUP: the configuration cannot be used, so the earlier values stay in use. ${why}`.trim(),
        error instanceof ConfigError ? {} : { error },
      );
      count(false);
      return;
    }
    const { renewed, needRestart } = renewSecrets(settings, values, fresh);
    log.info(
      renewed.length > 0
        ? `SIGHUP: ${renewed.join(', ')} renewed from ${renewed.length > 1 ? 'their files' : 'its file'}`
        : 'SIGHUP: the files were read again, and no secret has changed that can be renewed',
    );
    if (needRestart.length > 0)
      log.warn(`${needRestart.join(', ')} changed, which needs a restart. The earlier value stays in use`);
    count(true);
  };
}
