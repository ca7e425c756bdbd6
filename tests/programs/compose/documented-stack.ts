import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { withoutSettings } from '@latchkey/support/compose-environment';
import { type ComposeProject, createComposeProject } from '@latchkey/support/compose-project';
import { runBlock } from '@latchkey/support/documents/run-block';
import { findFreePort } from '@latchkey/support/find-free-port';
import { repositoryFolder } from '@latchkey/support/repository';
import { readTokenSecret, viewerToken } from '@latchkey/support/tokens';

const readyWithinMs = 120_000;
const askEveryMs = 200;

/** A stack that the commands of a document start, in a folder of their own. */
export interface DocumentedStack extends Pick<ComposeProject, 'healthy' | 'containers'> {
  readonly folder: string;
  /** Runs commands of the document. @returns what they wrote @throws Error if one fails */
  run(text: string): Promise<string>;
  /** Waits until the server on the published port, and all that it asks, is ready. */
  ready(): Promise<void>;
  /** Waits until the container that runs without Compose is ready. */
  readyAlone(): Promise<void>;
  register(contentId: string): Promise<void>;
  /** The content key, in hexadecimal digits, as an administrator gets it. @throws Error with the status of another answer */
  key(contentId: string): Promise<string>;
  /** A viewer asks for it. @throws Error with the status of another answer, or if there is none in time */
  keyOfViewer(contentId: string, viewerId: string, signal: AbortSignal): Promise<void>;
  /** Removes its containers, networks and volumes. */
  remove(): Promise<void>;
}

/** @param options as of `runDocumentedOperations` */
export async function openDocumentedStack(options: {
  folder: string;
  name: string;
  tag: string;
}): Promise<DocumentedStack> {
  const { folder, name, tag } = options;
  const port = await findFreePort();
  const alone = `${name}-alone`;
  const envFile = join(folder, '.env');
  const overrides = [join(folder, 'compose.override.yaml')];
  const compose = await createComposeProject({ root: folder, envFile, name, overrides });
  const env = {
    ...withoutSettings(process.env, readFileSync(join(folder, 'compose.yaml'), 'utf8')),
    PATH: `${writePrograms(folder)}:${process.env.PATH}`,
    COMPOSE_PROJECT_NAME: name,
    LATCHKEY_PORT: String(port),
    LATCHKEY_VERSION: tag,
    // There is no load balancer.
    SHUTDOWN_DRAIN_SECONDS: '1',
  };
  /** Names and ports of this machine may be taken by the operator's own server. */
  const adapt = (text: string) =>
    text
      .replaceAll('127.0.0.1:4100/', `127.0.0.1:${port}/`)
      .replaceAll(/(?<=\s)(latchkey\/[\w-]+)(?=\s)/g, `$1:${tag}`)
      .replace('--name latchkey', `--name ${alone}`)
      .replace('--volume latchkey:', `--volume ${alone}:`)
      .replace('127.0.0.1:4100:4100', '127.0.0.1::4100');
  const run = (text: string) => runBlock(adapt(text), { cwd: folder, env });
  const url = `http://127.0.0.1:${port}`;
  const secrets = () => parseEnv(readFileSync(envFile, 'utf8'));
  let tokenSecret: Buffer | undefined;
  const headers = () => {
    const { ADMIN_API_KEY } = secrets();
    return { authorization: `Bearer ${ADMIN_API_KEY}`, 'content-type': 'application/json' };
  };
  return {
    folder,
    run,
    healthy: compose.healthy,
    containers: compose.containers,
    ready: () => waitUntilReady(url),
    async readyAlone() {
      await waitUntilReady(`http://${(await run(`docker port ${alone} 4100`)).trim()}`);
    },
    async register(id) {
      const body = JSON.stringify({ id, name: id });
      const { status } = await fetch(`${url}/api/v1/content`, { method: 'POST', headers: headers(), body });
      if (status !== 201) throw new Error(`content ${id}: ${status}`);
    },
    async key(id) {
      const answer = await fetch(`${url}/keys/${id}`, { headers: headers() });
      if (answer.status !== 200) throw new Error(`key of ${id}: ${answer.status}`);
      return Buffer.from(await answer.arrayBuffer()).toString('hex');
    },
    async keyOfViewer(id, viewerId, signal) {
      tokenSecret ??= readTokenSecret(secrets().AUTH_JWT_SECRET ?? '');
      const authorization = `Bearer ${viewerToken(tokenSecret, viewerId)}`;
      const answer = await fetch(`${url}/keys/${id}`, { headers: { authorization }, signal });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`key of ${id}: ${answer.status}`);
    },
    async remove() {
      await compose.remove();
      await run(`docker rm --force --volumes ${alone}; docker volume rm --force ${alone}`);
    },
  };
}

/**
 * Writes the programs that the commands of the document find first: `docker compose` is `docker-compose` if Docker has no such
 * command. `npx latchkey` is the program of this repository, because the folder has no packages.
 *
 * @returns the folder for the PATH
 */
function writePrograms(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const programs = {
    docker: `if [ "$1" = compose ] && ! docker compose version > /dev/null 2>&1; then shift; exec docker-compose "$@"; fi
exec docker "$@"`,
    npx: `shift; exec node ${join(repositoryFolder, 'tools/latchkey.mjs')} "$@"`,
  };
  for (const [program, script] of Object.entries(programs)) {
    const file = join(bin, program);
    writeFileSync(file, `#!/bin/sh\nPATH='${process.env.PATH}'\n${script}\n`);
    chmodSync(file, 0o755);
  }
  return bin;
}

async function waitUntilReady(url: string): Promise<void> {
  const untilMs = performance.now() + readyWithinMs;
  for (;;) {
    const answer = await fetch(`${url}/ready`).catch(() => null);
    if (answer?.ok && !(await answer.text()).includes('"status":"down"')) return;
    if (performance.now() > untilMs) throw new Error(`${url} did not become ready`);
    await sleep(askEveryMs);
  }
}
