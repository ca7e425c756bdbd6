import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasApt } from '@latchkey/support/debian-packages';
import { mayInstall } from '@latchkey/support/provide-tool';
import { findProgram as findInstalled } from '@latchkey/support/stores/own-stores';

/** The programs that the tests of the proxies run, and the Debian package of each. */
const packages = { nginx: 'nginx-light', caddy: 'caddy', haproxy: 'haproxy', openssl: 'openssl' } as const;
export type Program = keyof typeof packages;

/** Debian asks this file whether a package may start its service; 101 means no (invoke-rc.d(8)). */
const policyFile = '/usr/sbin/policy-rc.d';

/**
 * Finds a program. If it is missing and packages may be installed, installs it without starting its service.
 *
 * @returns its path
 * @throws an Error that names what is missing
 */
export function findProgram(name: Program): string {
  const found = findInstalled(name);
  if (found) return found;
  const command = `apt-get install --no-install-recommends ${packages[name]}`;
  if (!mayInstall({ env: process.env, hasApt })) throw new Error(`${name} is missing: ${command}`);
  process.stderr.write(`${name} is missing, and is installed now: ${command}\n`);
  install(packages[name]);
  const installed = findInstalled(name);
  if (!installed) throw new Error(`${name} is missing, even after: ${command}`);
  return installed;
}

function install(debianPackage: string): void {
  // One at a time: another test file may be installing too, and the policy must stay until both are done.
  const script = `
    if [ ! -e ${policyFile} ]; then
      trap 'rm -f ${policyFile}' EXIT
      printf '#!/bin/sh\\nexit 101\\n' > ${policyFile}
      chmod 755 ${policyFile}
    fi
    apt-get update -q
    apt-get install -q -y --no-install-recommends "$1"`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const lockFile = join(tmpdir(), 'latchkey-test-apt.lock');
  execFileSync('flock', [lockFile, 'sh', '-ec', script, 'sh', debianPackage], { env, stdio: 'ignore' });
}
