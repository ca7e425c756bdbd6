import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const projectLabel = 'com.docker.compose.project';
const docker = async (...args: string[]) => (await promisify(execFile)('docker', args)).stdout.trim();

/**
 * Removes the containers, networks and volumes of every Compose project whose name starts with the prefix: a test that is
 * interrupted leaves its stack running.
 *
 * @returns the names of the projects
 */
export async function removeLeftoverStacks(prefix: string): Promise<string[]> {
  const projects = new Set<string>();
  const kinds = [
    { list: ['ps', '--all'], id: '{{.ID}}', remove: ['rm', '--force', '--volumes'] },
    { list: ['network', 'ls'], id: '{{.ID}}', remove: ['network', 'rm'] },
    { list: ['volume', 'ls'], id: '{{.Name}}', remove: ['volume', 'rm'] },
  ];
  for (const { list, id, remove } of kinds) {
    const format = `${id} {{.Label "${projectLabel}"}}`;
    const text = await docker(...list, '--filter', `label=${projectLabel}`, '--format', format);
    const found = text
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, project]) => project?.startsWith(prefix));
    for (const [, project = ''] of found) projects.add(project);
    const ids = found.map(([each = '']) => each);
    if (ids.length > 0) await docker(...remove, ...ids);
  }
  return [...projects];
}
