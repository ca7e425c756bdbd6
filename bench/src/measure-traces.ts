import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCleanup } from './cleanup.ts';
import { measureKeys, settleOnCores } from './keys/measure-keys.ts';
import { reportKeys, summarize } from './keys/report-keys.ts';
import { startLatchkey, toSubject } from './keys/single-subjects.ts';
import { listedRequests, viewerTokens } from './keys/viewers.ts';
import { startServer } from './servers.ts';

// What traces cost a key request, in one run:
//   node bench/src/measure-traces.ts [rounds]

const rounds = Number(process.argv[2] ?? 5);
const say = (line: string) => void process.stderr.write(`${line}\n`);
const cleanup = createCleanup();

/** A collector that takes everything. */
const collector = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.end('{}'));
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
cleanup.add({ stop: () => void collector.close(() => {}).closeAllConnections() });
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

/** The variables of each server. */
const subjects: Record<string, Record<string, string>> = {
  'Latchkey, no traces': {},
  'Latchkey, 1 % traced': {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  },
  'Latchkey, all traced': { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
};

try {
  const plan = await settleOnCores(cleanup, say);
  const requests = listedRequests(viewerTokens());
  const bare = cleanup.add(await startServer('bare Fastify', 'bench/src/peers/bare-fastify.ts', {}));
  const measured = [toSubject(bare, requests)];
  for (const [name, env] of Object.entries(subjects))
    measured.push(toSubject(await startLatchkey(name, cleanup, undefined, env), requests));
  const samples = await measureKeys(measured, plan, cleanup, { rounds, seconds: 2, connections: 64, say });
  process.stdout.write(`${reportKeys(summarize(samples))}\n`);
} finally {
  await cleanup.run();
}
