import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const retryMs = 200;

/**
 * Runs `action` while no other process of this machine runs one with the same lock file. Waits for that process without a limit.
 * The file holds the id of the process. If that process is gone, the lock is taken over.
 */
export function withLock(file, action) {
  mkdirSync(dirname(file), { recursive: true });
  for (let said = false; !take(file); said = true) {
    if (!said) process.stderr.write(`Waiting for the process that ${file} names…\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
  }
  // Releases the lock also if the action ends the process.
  const release = () => rmSync(file, { force: true });
  process.on('exit', release);
  try {
    return action();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isAlive(holder(file))) rmSync(file, { force: true });
    return false;
  }
}

/** The process id in the file; undefined if the other process has just created or just removed it. */
function holder(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  if (pid === undefined) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
