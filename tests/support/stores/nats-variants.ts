import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../find-free-port.ts';
import type { CertificateFiles } from '../tls/make-certificates.ts';
import { findProgram } from './own-stores.ts';
import { makeServerFolder, type ServerProgram, startServerProgram } from './server-program.ts';

export interface NatsVariant {
  tls?: CertificateFiles & {
    /** The CA of certificates that clients must show; left out, they need none. */
    clientCa?: string;
  };
  /** Further lines of the file of settings: users, an operator. */
  lines?: readonly string[];
}

interface StartOptions extends NatsVariant {
  port: number;
  clusterPort?: number;
  /** The ports at which the others of its cluster are reached. */
  routes?: readonly number[];
}

/** @throws Error if it is not installed or does not start */
async function startNats({
  port,
  tls,
  lines = [],
  clusterPort,
  routes = [],
}: StartOptions): Promise<ServerProgram> {
  const program = findProgram('nats-server');
  if (!program) throw new Error('nats-server is not installed on this machine');
  const folder = makeServerFolder();
  const file = join(folder, 'nats.conf');
  const text = [
    ...['host: 127.0.0.1', `port: ${port}`, `server_name: n${port}`],
    `jetstream { store_dir: "${folder}" }`,
    ...(tls
      ? [
          `tls { cert_file: "${tls.cert}", key_file: "${tls.key}"`,
          ...(tls.clientCa ? [`ca_file: "${tls.clientCa}", verify: true`] : []),
          '}',
        ]
      : []),
    ...(clusterPort
      ? [
          `cluster { name: test, host: 127.0.0.1, port: ${clusterPort}, routes: [`,
          ...routes.map((each) => `nats://127.0.0.1:${each}`),
          '] }',
        ]
      : []),
    ...lines,
    '',
  ];
  writeFileSync(file, text.join('\n'));
  return startServerProgram({
    ...{ program, port, folder, removesFolder: true, endSignal: 'KILL' },
    args: ['-c', file],
    url: `${tls ? 'tls' : 'nats'}://127.0.0.1:${port}`,
    readyLine: /Server is ready/,
  });
}

/** One NATS with JetStream. */
export async function startNatsVariant(variant: NatsVariant): Promise<ServerProgram> {
  return startNats({ ...variant, port: await findFreePort() });
}

/** Three of them, of which one may be lost. */
export async function startNatsCluster(
  variant: NatsVariant = {},
): Promise<{ url: string; servers: ServerProgram[]; stop(): Promise<void> }> {
  const routes = [await findFreePort(), await findFreePort(), await findFreePort()];
  const servers = await Promise.all(
    routes.map(async (clusterPort) =>
      startNats({ ...variant, port: await findFreePort(), clusterPort, routes }),
    ),
  );
  return {
    url: servers.map(({ url }) => url).join(','),
    servers,
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}
