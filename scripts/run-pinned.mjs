import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { pinnedNode, root } from './ensure-installed.mjs';

/**
 * Runs a file on the workspace's own Node 24 and exits with its code. Signals are passed on to the child. The open channel
 * closes when this process is killed, and the child then ends, so that no server keeps its port.
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
