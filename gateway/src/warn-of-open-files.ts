import { findFilesOpenToAll } from '@latchkey/shared/db';
import type { OperatorLog } from '@latchkey/shared/log';
import type { NodeConfiguration } from './single-node-first-run.ts';

/** Warns of files with secrets that every user of the machine may read. */
export function warnOfOpenFiles({
  configuration,
  log,
}: {
  configuration: NodeConfiguration;
  log: OperatorLog;
}): void {
  const { databaseUrl, sqlitePath } = configuration.values;
  const ofDatabase = databaseUrl ? [] : [sqlitePath, `${sqlitePath}-wal`, `${sqlitePath}-shm`];
  const open = findFilesOpenToAll([configuration.file.path, ...ofDatabase], process.getuid?.());
  if (open.length === 0) return;
  log.warn(
    `every user of this machine may read ${open.join(', ')}, which may hold the secrets of this server. Run: chmod 600 ${open.join(' ')}`,
  );
}
