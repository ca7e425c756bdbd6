import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ServerOutput,
  type ServerProcess,
  type SingleNodeOptions,
  startSingleNodeProcess,
} from '../processes/single-node.ts';
import type { Environment } from '../processes/spawn-entry.ts';

export type { Environment, ServerOutput, ServerProcess };

/** Receives each piece of a server's output. */
export type OnOutput = NonNullable<SingleNodeOptions['onOutput']>;

/** A folder for one server. */
export function makeFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Starts the single node. It gets only the given variables, none of the tests' own environment.
 *
 * @param folder the working folder of the process
 */
export function startProcess(folder: string, env: Environment, onOutput?: OnOutput): ServerProcess {
  return startSingleNodeProcess({ folder, env, ...(onOutput && { onOutput }) });
}
