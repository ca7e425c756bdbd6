import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';

/** Variables by name. Undefined takes one away. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SpawnOptions {
  /** The file to run, from the root of the repository. */
  entry: string;
  /** The repository whose file is run: this one, or that of another release. */
  code?: string;
  /** The working folder; the repository where it is left out. */
  folder?: string | undefined;
  /** Beside PATH and HOME. Nothing else of this process's environment is passed on. */
  env: Environment;
  /** Standard output and standard error, each as `spawn` takes it. */
  output: [stdout: 'ignore' | 'pipe', stderr: 'inherit' | 'pipe' | number];
}

/** Compiled code of the processes that are started here: a start then takes half of its processor time. */
const compileCache = join(repositoryFolder, '.cache/compile');

/** Starts a file of Latchkey on the Node that runs this process. It ends when this process does, however that ends. */
export function spawnEntry(options: SpawnOptions): ChildProcess {
  const { entry, code = repositoryFolder, folder = code, env, output } = options;
  // The open channel is how the server learns that this process is gone.
  const stdio: StdioOptions = ['ignore', ...output, 'ipc'];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(code, entry)], {
    cwd: folder,
    stdio,
    env: { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env },
  });
  // A process that cannot be started is seen by its end.
  child.on('error', () => {});
  child.channel?.unref();
  return child;
}
