import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withoutSettings } from './compose-environment.ts';
import { runCommand } from './run-command.ts';

const execute = promisify(execFile);
/** The first start waits until the database is created and migrated. */
const readyWithinMs = 120_000;
const askEveryMs = 200;

/** A replica's report of the key requests that it has answered, on its own metrics port. */
const countKeyRequests = `
  const text = await (await fetch('http://127.0.0.1:9464/metrics')).text();
  const counts = [...text.matchAll(/^http_server_request_duration_seconds_count\\{.*route="\\/keys\\/:contentId".*\\} (\\d+)$/gm)];
  console.log(counts.reduce((sum, [, count]) => sum + Number(count), 0));
`;

/** The stack of compose.yaml under a separate project name. */
export interface ComposeProject {
  /** Runs a Compose command and shows its output. @throws if it fails */
  run(args: readonly string[]): Promise<void>;
  /** Where a service's port 4100 is published. */
  url(service: string): Promise<string>;
  /** Waits until the service is ready and its report satisfies the condition. */
  ready(service: string, asWished?: (report: string) => boolean): Promise<void>;
  /** Waits until Docker reports every container of the service as healthy. */
  healthy(service: string): Promise<void>;
  /** Number of key requests that each replica of key-derivation has answered, by container id. */
  keyRequests(): Promise<Record<string, number>>;
  /** The ids of the containers of one service. */
  containers(service: string): Promise<string[]>;
  /** Sends SIGKILL to one container of the service. */
  killOne(service: string): Promise<void>;
  /** Removes its containers, networks and volumes. */
  remove(): Promise<void>;
}

export interface ComposeProjectOptions {
  /** The folder of compose.yaml. */
  root: string;
  envFile: string;
  name: string;
  /** Paths of further compose files, which are read after compose.yaml. A file that does not exist yet is left out. */
  overrides?: readonly string[];
}

export async function createComposeProject(options: ComposeProjectOptions): Promise<ComposeProject> {
  const { root, envFile, name, overrides = [] } = options;
  const [command, ...first] = await findCompose();
  const composeFile = join(root, 'compose.yaml');
  const env = withoutSettings(process.env, readFileSync(composeFile, 'utf8'));
  const common = () => {
    // Named explicitly, because Compose would also read an override in the folder.
    const files = [composeFile, ...overrides.filter((file) => existsSync(file))];
    const project = ['--project-directory', root, '--project-name', name, '--env-file', envFile];
    return [...first, ...project, ...files.flatMap((file) => ['--file', file])];
  };

  async function run(args: readonly string[]): Promise<void> {
    const code = await runCommand(command, [...common(), ...args], env);
    if (code !== 0) throw new Error(`compose ${args.join(' ')} ended with ${code}`);
  }
  async function ask(args: readonly string[]): Promise<string> {
    return (await execute(command, [...common(), ...args], { cwd: root, env })).stdout.trim();
  }
  const containersOf = async (service: string) => (await ask(['ps', '-q', service])).split('\n');
  const url = async (service: string) => `http://${await ask(['port', service, '4100'])}`;

  return {
    run,
    url,
    async ready(service, asWished = () => true) {
      const address = await url(service);
      const untilMs = performance.now() + readyWithinMs;
      for (;;) {
        const answer = await fetch(`${address}/ready`).catch(() => null);
        if (answer?.ok && asWished(await answer.text())) return;
        if (performance.now() > untilMs) throw new Error(`${service} did not become ready`);
        await sleep(askEveryMs);
      }
    },
    async healthy(service) {
      const untilMs = performance.now() + readyWithinMs;
      const format = '{{.State.Health.Status}}';
      for (;;) {
        const args = ['inspect', '--format', format, ...(await containersOf(service))];
        const states = (await execute('docker', args)).stdout.trim().split('\n');
        if (states.every((state) => state === 'healthy')) return;
        if (performance.now() > untilMs) throw new Error(`${service} is ${states.join(', ')}`);
        await sleep(askEveryMs);
      }
    },
    async keyRequests() {
      const counts: Record<string, number> = {};
      for (const id of await containersOf('key-derivation')) {
        const args = ['exec', id, 'node', '--input-type=module', '--eval', countKeyRequests];
        counts[id] = Number((await execute('docker', args)).stdout);
      }
      return counts;
    },
    containers: containersOf,
    async killOne(service) {
      const [id = ''] = await containersOf(service);
      await execute('docker', ['kill', id]);
    },
    remove: () => run(['--profile', 'single', '--profile', 'edge', 'down', '--volumes', '--remove-orphans']),
  };
}

/** `docker compose`, or the older `docker-compose`. */
async function findCompose(): Promise<[string, ...string[]]> {
  try {
    await execute('docker', ['compose', 'version']);
    return ['docker', 'compose'];
  } catch {
    await execute('docker-compose', ['version']);
    return ['docker-compose'];
  }
}
