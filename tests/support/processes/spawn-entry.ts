import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';

/** Variables by name. Undefined removes one. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SpawnOptions {
  /** The file to run, relative to the root of the repository. */
  entry: string;
  /** Flags of Node. */
  flags?: readonly string[] | undefined;
  /** Arguments of the file itself. */
  args?: readonly string[];
  /** The repository whose file runs: this one, or another release's. */
  code?: string;
  /** The working folder; the repository by default. */
  folder?: string | undefined;
  /** In addition to PATH and HOME. No other variable of this process's environment is passed on. */
  env: Environment;
  /** Standard output and standard error, each in the form that `spawn` takes. */
  output: [stdout: 'ignore' | 'pipe', stderr: 'inherit' | 'pipe' | number];
}

/** Cache for compiled code of the started processes: a start then takes half of its processor time. */
export const compileCache = join(repositoryFolder, '.cache/compile');

/**
 * Of all processes in a run of tests. Several share each core there, and the threads of their garbage collectors, which wait for each
 * other, take a twentieth of the processor time.
 */
export const singleThreadedGc = '--single-threaded-gc';
/** The flags of this process that its children get too. */
export const inheritedFlags: readonly string[] = process.execArgv.filter((flag) => flag === singleThreadedGc);

/** Starts a file of Latchkey on this process's Node. It always ends with this process. */
export function spawnEntry(options: SpawnOptions): ChildProcess {
  const { entry, flags = [], args = [], code = repositoryFolder, folder = code, env, output } = options;
  // The channel closes with this process, and the server then ends.
  const stdio: StdioOptions = ['ignore', ...output, 'ipc'];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...inheritedFlags, ...flags, join(code, entry), ...args], {
    cwd: folder,
    stdio,
    env: { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env },
  });
  // A process that cannot be started is noticed by its end.
  child.on('error', () => {});
  child.channel?.unref();
  return child;
}
