import { spawnSync } from 'node:child_process';

/** The first minor version of Kubernetes 1 whose kubectl includes Kustomize 5, which these manifests need. */
const oldestMinor = 27;

/**
 * The path of kubectl, from `KUBECTL_PATH` or the `PATH`.
 *
 * @throws Error that explains what to install, if it is missing or too old
 */
export function findKubectl(env: Readonly<Record<string, string | undefined>>): string {
  const path = env.KUBECTL_PATH || 'kubectl';
  const asked = spawnSync(path, ['version', '--client', '--output', 'json'], { encoding: 'utf8' });
  if (asked.error || asked.status !== 0) {
    throw new Error(`There is no kubectl: install it, or set KUBECTL_PATH to its path (tried ${path}).`);
  }
  const fault = findVersionFault(asked.stdout);
  if (fault) throw new Error(`${path} ${fault}`);
  return path;
}

/** Checks the answer to `version --client --output json`. @returns what is wrong; null if nothing is */
function findVersionFault(answer: string): string | null {
  const version: unknown = JSON.parse(answer)?.clientVersion?.gitVersion;
  const minor = /^v1\.(\d+)\./.exec(String(version))?.[1];
  if (minor !== undefined && Number(minor) >= oldestMinor) return null;
  return `is ${version}, too old: take 1.${oldestMinor} or newer, and set KUBECTL_PATH to it (Debian 12 packages 1.20).`;
}
