import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program with the programs that it starts. */
export interface Program {
  readonly name: string;
  /** The last 4,000 characters of its standard output and error. */
  output(): string;
  isRunning(): boolean;
  /** Sends the signal to it and its children, and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Receives its standard output as it comes. */
  readonly onOutput?: (text: string) => void;
}

const keptCharacters = 4_000;

/** Starts a program in a process group of its own, so that a shell and its children get the same signal. */
export function startProgram(
  name: string,
  [path = '', ...args]: readonly string[],
  { cwd, env, onOutput }: ProgramOptions,
): Program {
  const child = spawn(path, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (text: string) => {
    output = (output + text).slice(-keptCharacters);
  };
  child.stdout.setEncoding('utf8').on('data', onOutput ?? keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  child.once('error', (error) => keep(error.message));
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    output: () => output.trim(),
    isRunning,
    async end(signal = 'SIGTERM') {
      if (child.pid === undefined) return;
      const gone = isRunning() ? once(child, 'exit') : null;
      try {
        process.kill(-child.pid, signal);
      } catch (error) {
        // No process of the group is left.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      await gone;
    },
  };
}
