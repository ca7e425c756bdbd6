import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Whether Debian packages can be installed: on Debian or a derivative, as root. */
export function hasApt(): boolean {
  return existsSync('/etc/debian_version') && process.getuid?.() === 0;
}

/** Installs Debian packages; false if that failed. */
export function installPackages(packages: readonly string[]): boolean {
  return apt('update') && apt('install', '-y', '--no-install-recommends', ...packages);
}

function apt(...args: string[]): boolean {
  // Waits two minutes for another run of apt on a machine that has just started. In run level 1, Debian starts no service.
  const done = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
  return done.status === 0;
}
