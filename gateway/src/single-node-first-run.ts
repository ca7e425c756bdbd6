import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createKeyVersionRegistry, knownKeyVersions } from '@latchkey/content';
import {
  checkMasterKeys,
  MasterKeyMismatch,
  type MasterKeyRing,
  openMasterKeyRing,
} from '@latchkey/key-derivation';
import type { Clock } from '@latchkey/shared/clock';
import {
  describeSettings,
  type Environment,
  makeMissingSecrets,
  readKeptSecrets,
  readSecretsFile,
  readSingleNodeConfig,
  type SecretsFile,
  type ShownSetting,
  type SingleNodeValues,
  singleNodeSettings,
} from '@latchkey/shared/config';
import { type Database, inTransaction, lockSubject, makeFolder } from '@latchkey/shared/db';
import type { OperatorLog } from '@latchkey/shared/log';

/** The configuration of a single node, with the secrets that an earlier run kept and the secrets that this run has made. */
export interface NodeConfiguration {
  readonly values: SingleNodeValues;
  readonly warnings: readonly string[];
  /** By the names of variables; empty if nothing was missing. */
  readonly made: Readonly<Record<string, string>>;
  /** Where the secrets are kept, as the file was when it was read. */
  readonly file: SecretsFile;
  /** The variables that come from that file, or will. */
  readonly inFile: readonly string[];
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
  const inFile = Object.keys({ ...kept.values, ...made });
  return { values, warnings: [...warnings, ...kept.warnings], made, file, inFile };
}

/** The variables of a single node for its operators, without what is secret. */
export function describeNodeSettings(env: Environment, { inFile }: NodeConfiguration): ShownSetting[] {
  return describeSettings(singleNodeSettings, env).map((setting) =>
    inFile.includes(setting.name) ? { ...setting, from: 'file', value: null } : setting,
  );
}

/** Only the owner may read the file: its secrets open all content. */
const fileMode = 0o600;
/** The errors of link(2) on a file system without hard links, such as FAT and some that are shared with a virtual machine. */
const hasNoLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Writes the secrets that were made. The whole file is on the disk before anything is encrypted with them: a process that is
 * killed leaves the old file or the new one. If several processes write at the same time, one of them succeeds.
 *
 * @param before the file as it was read, without these secrets
 * @param suffix of the temporary file; no other process may have the same. A process id is not unique: containers that share
 *   a volume each have 1, and a killed process leaves its file behind
 * @returns false if another process has written the file meanwhile: then nothing was written
 */
export function keepSecrets(
  { path, text }: SecretsFile,
  made: Readonly<Record<string, string>>,
  suffix: string,
): boolean {
  makeFolder(dirname(path));
  const lines = Object.entries(made).map(([name, value]) => `${name}=${value}\n`);
  const before = text ?? introduction;
  // A person may have edited the file and left its last line without an end.
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  const temporary = `${path}.${suffix}.new`;
  try {
    writeFileSync(temporary, `${before}${end}${lines.join('')}`, {
      ...{ flag: 'wx', mode: fileMode, flush: true },
    });
    if (text === null) {
      if (!linkNew(temporary, path)) return false;
    } else renameSync(temporary, path);
    syncFolder(dirname(path));
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

const introduction = `# Made by the first run of Latchkey. The master key and its salt derive every content key:
# who has them can play everything, and without them everything encrypted is lost. Back this file up.
`;

/** Gives the file its name, unless another file has it. link(2) is atomic, and unlike rename(2) it replaces nothing. */
function linkNew(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    unlinkSync(temporary);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EEXIST') return false;
    if (!hasNoLinks.has(code)) throw error;
  }
  // Without link(2), only the lock of the database keeps two processes apart.
  renameSync(temporary, path);
  return true;
}

/** A new name survives a power cut once its folder is on the disk. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

interface MasterKeyOptions {
  configuration: NodeConfiguration;
  /** Reads the configuration again. */
  reread: () => NodeConfiguration;
  randomId: () => string;
  clock: Clock;
  log: OperatorLog;
  base: CustodyBase;
}

/** The parts of the process that custodians of the master key need. */
type CustodyBase = Parameters<typeof openMasterKeyRing>[1];

interface Settled {
  values: SingleNodeValues;
  masterKeys: MasterKeyRing;
}

/**
 * Compares the master keys with the fingerprints in the database, and keeps the secrets that this run made.
 *
 * Several first runs may do this at the same time, on one machine or on several that share a Postgres. They take turns: the
 * first keeps its secrets and stores the fingerprint of its master key. The next one reads the file again and finds them. Without
 * that, a file could hold a key that the database does not know.
 *
 * @throws MasterKeyMismatch if a version differs, or if a new key would be made although the database knows one
 */
export async function settleMasterKeys(options: MasterKeyOptions, db: Database): Promise<Settled> {
  const { configuration, clock, log, base } = options;
  if (Object.keys(configuration.made).length === 0) {
    return checkedKeys(configuration.values, db, clock, base);
  }
  const { settled, kept } = await inTransaction(db, async (tx) => {
    await lockSubject(tx, 'first run', 'exclusive');
    const { values, made, file } = await keepMade(options, tx);
    return { settled: await checkedKeys(values, tx, clock, base), kept: { names: Object.keys(made), file } };
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
  base: CustodyBase,
): Promise<Settled> {
  const masterKeys = await openMasterKeyRing(values, base);
  await checkMasterKeys(createKeyVersionRegistry({ db, clock }), masterKeys);
  return { values, masterKeys };
}

/** @returns the configuration with the kept secrets: from this run, or from another run that was first */
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
