import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** What the tests of the proxies run, and the Debian package of each. */
const packages = { nginx: 'nginx-light', caddy: 'caddy', haproxy: 'haproxy', openssl: 'openssl' } as const;
export type Program = keyof typeof packages;

/** Debian asks this file whether a package may start its service; 101 is no (invoke-rc.d(8)). */
const policyFile = '/usr/sbin/policy-rc.d';
/** Not every user's PATH has the folders of the servers. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];

/**
 * Finds a program, and installs its Debian package where it is missing and this is root. No service is started by that.
 *
 * @returns its path
 * @throws an Error that names what is missing
 */
export function findProgram(name: Program): string {
  const found = find(name);
  if (found) return found;
  const command = `apt-get install --no-install-recommends ${packages[name]}`;
  const apt = find('apt-get');
  if (process.getuid?.() !== 0 || !apt) throw new Error(`${name} is missing: ${command}`);
  process.stderr.write(`${name} is missing, and is installed now: ${command}\n`);
  install(apt, packages[name]);
  const installed = find(name);
  if (!installed) throw new Error(`${name} is missing, also after: ${command}`);
  return installed;
}

function find(name: string): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function install(apt: string, name: string): void {
  // One at a time: another test file may be installing too, and the policy has to be there until both are done.
  const script = `
    if [ ! -e ${policyFile} ]; then
      trap 'rm -f ${policyFile}' EXIT
      printf '#!/bin/sh\\nexit 101\\n' > ${policyFile}
      chmod 755 ${policyFile}
    fi
    "$1" update -q
    "$1" install -q -y --no-install-recommends "$2"`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const lockFile = join(tmpdir(), 'latchkey-acceptance-apt.lock');
  execFileSync('flock', [lockFile, 'sh', '-ec', script, 'sh', apt, name], { env, stdio: 'ignore' });
}
