import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { pinnedNode, root } from './ensure-installed.mjs';

/**
 * Runs a file on the workspace's own Node 24, in place of this process if the system can replace a process. The file then gets the
 * signals and sets the exit code, and this program takes no additional memory. On Windows, and on the Node 20 of a first run,
 * which cannot do it, the file runs as a child.
 *
 * Compiled code is kept in `.cache/compile`, so that a second start takes half as long. `NODE_COMPILE_CACHE` names another folder.
 *
 * @param defaults environment variables, unless they are set
 */
export function runPinned(args, { cwd = root, defaults = {} } = {}) {
  const bin = join(root, 'node_modules', '.bin');
  const env = {
    NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
    ...defaults,
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
  };
  // npm puts `node_modules/.bin` into PATH, so from the second run on this file runs on the pinned Node, too.
  if (process.execve && process.platform !== 'win32') replaceProcess(args, { cwd, env });
  else runChild(args, { cwd, env });
}

function replaceProcess(args, { cwd, env }) {
  process.chdir(cwd);
  process.execve(pinnedNode, [pinnedNode, ...args], env);
}

/**
 * Exits with the code of the child. Signals are passed on to it. The open channel closes when this process is killed, and the
 * child then ends, so that no server keeps its port.
 */
function runChild(args, options) {
  const child = spawn(pinnedNode, args, { ...options, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C in a terminal also reaches the child. A second signal would make it end at once.
      if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`Could not start ${pinnedNode}: ${error.message}\n`);
    process.exit(1);
  });
  // For a command that a signal ended, a shell reports 128 plus the number of the signal.
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
