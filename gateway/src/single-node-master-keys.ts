import { createKeyVersionRegistry, knownKeyVersions } from '@latchkey/content';
import {
  checkMasterKeys,
  MasterKeyMismatch,
  type MasterKeyRing,
  openMasterKeyRing,
} from '@latchkey/key-derivation';
import type { Clock } from '@latchkey/shared/clock';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { type Database, inTransaction, lockSubject } from '@latchkey/shared/db';
import type { OperatorLog } from '@latchkey/shared/log';
import type { NodeConfiguration } from './first-run.ts';
import { keepSecrets } from './first-run.ts';

export interface MasterKeyOptions {
  configuration: NodeConfiguration;
  /** Reads the configuration again. */
  reread: () => NodeConfiguration;
  randomId: () => string;
  clock: Clock;
  log: OperatorLog;
}

export interface Settled {
  values: SingleNodeValues;
  masterKeys: MasterKeyRing;
}

/**
 * Compares the master keys with those that the database knows, and keeps the secrets that this run made.
 *
 * Several first runs may do this at the same time, on one machine or on several that share a Postgres. They take turns: the
 * first keeps its secrets and stores the fingerprint of its master key. The next one reads the file again and finds them. Without
 * that, a file could hold a key that the database does not know.
 *
 * @throws MasterKeyMismatch if a version differs, or if a new key would be made although the database knows one
 */
export async function settleMasterKeys(options: MasterKeyOptions, db: Database): Promise<Settled> {
  const { configuration, clock, log } = options;
  if (Object.keys(configuration.made).length === 0) {
    return checkedKeys(configuration.values, db, clock, log);
  }
  const { settled, kept } = await inTransaction(db, async (tx) => {
    await lockSubject(tx, 'first run', 'exclusive');
    const { values, made, file } = await keepMade(options, tx);
    return { settled: await checkedKeys(values, tx, clock, log), kept: { names: Object.keys(made), file } };
  });
  if (kept.names.length > 0 && settled.values.sqlitePath !== ':memory:') {
    log.warn(
      `made ${kept.names.join(', ')} and wrote them to ${kept.file.path}. LOSING THAT FILE LOSES THE CONTENT: back it up`,
    );
  }
  return settled;
}

async function checkedKeys(
  values: SingleNodeValues,
  db: Database,
  clock: Clock,
  log: OperatorLog,
): Promise<Settled> {
  const masterKeys = openMasterKeyRing(values, log.warn);
  await checkMasterKeys(createKeyVersionRegistry({ db, clock }), masterKeys);
  return { values, masterKeys };
}

/** @returns the configuration with the kept secrets: those of this run, or those that another run kept before */
async function keepMade({ reread, randomId }: MasterKeyOptions, db: Database): Promise<NodeConfiguration> {
  for (;;) {
    const configuration = reread();
    const { values, made, file } = configuration;
    if (Object.keys(made).length === 0) return configuration;
    const known = made.MASTER_KEY_HEX === undefined ? [] : await knownKeyVersions(db);
    if (known.length > 0) throw new MasterKeyMismatch(known, file.path);
    if (values.sqlitePath === ':memory:' || keepSecrets(file, made, randomId())) return configuration;
  }
}
