import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSingleNodeProcess } from '@latchkey/support/processes/single-node';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { createStack } from '@latchkey/support/stack/start-stack';
import { makeDatabase } from '@latchkey/support/stores/new-database';
import { makeServerFolder } from '@latchkey/support/stores/server-program';
import { waitUntil } from './wait-until.ts';

export type Profile = 'single node' | 'separate services';

/** A server of one profile, with the output of its processes by their names. */
export interface Server {
  profile: Profile;
  port: number;
  output: ReadonlyMap<string, { stdout: string; stderr: string }>;
  /** The text of `/metrics` of each process. */
  readMetrics(): Promise<Map<string, string>>;
  /** Resolves when every process knows every change of authority so far. */
  settle(): Promise<void>;
  /** Ends it. The output is complete afterwards. */
  close(): Promise<void>;
}

/** Serves a playlist, and takes the messages of webhooks. */
export interface Neighbor {
  origin: string;
  close(): Promise<void>;
}

export async function startNeighbor(): Promise<Neighbor> {
  const playlist =
    '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/0"\n';
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'POST') response.writeHead(204).end();
    else response.end(`${playlist}#EXTINF:4,\nseg-0.ts\n#EXT-X-ENDLIST\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function startSingleNode(settings: Environment): Promise<Server> {
  const own = { PORT: '0', HOST: '127.0.0.1', METRICS_PORT: '0', SQLITE_PATH: 'latchkey.db' };
  const folder = makeServerFolder();
  const process = startSingleNodeProcess({ folder, env: { ...settings, ...own } });
  const { port } = new URL(await process.listens());
  const output = { stdout: '', stderr: '' };
  return {
    profile: 'single node',
    port: Number(port),
    output: new Map([['single-node', output]]),
    readMetrics: () => readEach([['single-node', process.stderr()]]),
    settle: async () => {},
    async close() {
      process.kill('SIGTERM');
      await process.ended();
      rmSync(folder, { recursive: true });
      Object.assign(output, { stdout: process.stdout(), stderr: process.stderr() });
    },
  };
}

/** On a new database of this Postgres, without Redis and NATS, which other servers may use at the same time. */
export async function startSeparateServices(settings: Environment, postgres: string): Promise<Server> {
  const database = await makeDatabase(postgres);
  const output = new Map<string, { stdout: string; stderr: string }>();
  const stack = await createStack({
    stores: { postgres: database.url },
    rolePrefix: database.name,
    settings,
    outputOf: (name) => {
      const texts = { stdout: '', stderr: '' };
      output.set(name.replace(/-1$/, ''), texts);
      return (_name, stream, text) => {
        texts[stream] += text;
      };
    },
  });
  const close = async (signal: NodeJS.Signals) => {
    // Each before the ones that it calls.
    for (const process of stack.all.toReversed()) await process.end(signal);
    await database.drop();
  };
  try {
    await stack.migrate();
    // Each after the ones that it calls, so that no start meets a service that does not answer yet, and logs it.
    for (const process of stack.all) {
      process.start();
      await process.waitReady();
    }
  } catch (error) {
    await close('SIGKILL');
    throw error;
  }
  const readMetrics = () => readEach([...output].map(([name, { stderr }]) => [name, stderr]));
  return {
    profile: 'separate services',
    port: Number(new URL(stack.url).port),
    output,
    readMetrics,
    settle: () => untilFeedsAreRead(readMetrics),
    close: () => close('SIGTERM'),
  };
}

async function readEach(processes: Iterable<[name: string, stderr: string]>): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [name, stderr] of processes) {
    const port = /metrics on (?:port |http:\/\/127\.0\.0\.1:)(\d+)/.exec(stderr)?.[1];
    texts.set(name, await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  }
  return texts;
}

/** A process whose feed is younger than this call has read every change from before it. */
async function untilFeedsAreRead(readMetrics: Server['readMetrics']): Promise<void> {
  const sinceMs = performance.now();
  await waitUntil('every process has read the change feed', async () => {
    const elapsedSeconds = (performance.now() - sinceMs) / 1_000;
    const texts = [...(await readMetrics()).values()];
    const ages = texts.flatMap((text) => /^latchkey_feed_age_seconds\S* (\S+)$/m.exec(text)?.[1] ?? []);
    return ages.every((age) => Number(age) < elapsedSeconds);
  });
}
