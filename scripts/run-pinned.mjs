import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { pinnedNode, root } from './ensure-installed.mjs';

/**
 * Runs a file on the workspace's own Node 24 and takes on its exit code. Signals reach the child, and the open channel
 * lets the child notice when this process is killed outright, so that no server is left behind on its port.
 */
export function runPinned(args, { cwd = root } = {}) {
  const bin = join(root, 'node_modules', '.bin');
  const child = spawn(pinnedNode, args, {
    cwd,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C in a terminal reaches the child too: a second one from here would look like impatience.
      if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`Could not start ${pinnedNode}: ${error.message}\n`);
    process.exit(1);
  });
  // 128 and the number of the signal is what a shell reports for a command that a signal ended.
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
