import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group that limits the memory of its processes, as that of a container does. */
export interface Container {
  /** The words to put before a command, so that it starts in the group. */
  command: readonly string[];
  /** Removes the group, once nothing runs in it. */
  stop(): void;
}

const root = '/sys/fs/cgroup';
/** The rest of the name is the id of the process that made the group. */
const prefix = 'latchkey-bench-';

/**
 * @param limitMib 0 for no limit
 * @throws Error if this user may not make control groups: that needs root, and a machine or container that allows it
 */
export function makeContainer(limitMib: number): Container {
  if (limitMib === 0) return { command: [], stop: () => {} };
  const isFirstVersion = existsSync(join(root, 'memory'));
  const groups = join(root, isFirstVersion ? 'memory' : '');
  const group = join(groups, `${prefix}${process.pid}`);
  try {
    removeAbandoned(groups);
    mkdirSync(group);
    const limit = join(group, isFirstVersion ? 'memory.limit_in_bytes' : 'memory.max');
    writeFileSync(limit, String(limitMib * 1_024 * 1_024));
  } catch (cause) {
    throw new Error(
      'Memory cannot be limited here: that needs root. --container 0 measures without a limit',
      {
        cause,
      },
    );
  }
  return {
    command: ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')],
    stop: () => rmdirSync(group),
  };
}

/** Removes the groups of processes that were killed outright and could not do it themselves. */
export function removeAbandoned(groups: string): void {
  for (const name of readdirSync(groups)) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length) : null;
    if (pid === null || existsSync(`/proc/${pid}`)) continue;
    try {
      rmdirSync(join(groups, name));
    } catch {
      // A replica of that process is still ending in it. The next measurement removes it.
    }
  }
}
