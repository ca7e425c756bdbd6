import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startSingleNodeProcess } from '@latchkey/rig/processes/single-node';
import type { Environment } from '@latchkey/rig/processes/spawn-entry';

export type { Environment, ServerProcess };

/** A folder for one server. */
export function makeFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-acceptance-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Starts the single node. It gets only the given variables, none of the tests' own environment.
 *
 * @param folder the working folder of the process
 */
export function startProcess(folder: string, env: Environment): ServerProcess {
  return startSingleNodeProcess({ folder, env });
}
