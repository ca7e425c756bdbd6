import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group that bounds the memory of what is started in it, as a container's does. */
export interface Container {
  /** The words before a command that start it in the group. */
  command: readonly string[];
  /** Removes the group, once nothing runs in it. */
  stop(): void;
}

const root = '/sys/fs/cgroup';

/**
 * @param limitMib 0 for none
 * @throws Error where this user may make no control groups: it takes root, and a machine or container that lets it
 */
export function makeContainer(limitMib: number): Container {
  if (limitMib === 0) return { command: [], stop: () => {} };
  const isFirstVersion = existsSync(join(root, 'memory'));
  const group = join(root, isFirstVersion ? 'memory' : '', `latchkey-bench-${process.pid}`);
  try {
    mkdirSync(group);
    const limit = join(group, isFirstVersion ? 'memory.limit_in_bytes' : 'memory.max');
    writeFileSync(limit, String(limitMib * 1_024 * 1_024));
  } catch (cause) {
    throw new Error('No memory can be bounded here (it takes root); --container 0 goes without', { cause });
  }
  return {
    command: ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')],
    stop: () => rmdirSync(group),
  };
}
