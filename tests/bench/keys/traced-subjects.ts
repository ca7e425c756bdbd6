import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../cleanup.ts';
import { startServer } from '../servers.ts';
import type { KeySubject } from './key-subject.ts';
import { startLatchkey, toSubject } from './single-subjects.ts';
import { listedRequests, viewerTokens } from './viewers.ts';

/** Latchkey without traces, with one request of a hundred traced, and with all of them. */
export async function startTracedSubjects(cleanup: Cleanup): Promise<KeySubject[]> {
  const requests = listedRequests(viewerTokens());
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(cleanup) };
  const few = {
    ...all,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  const bare = cleanup.add(await startServer('bare Fastify', 'tests/bench/peers/bare-fastify.ts', {}));
  const start = (name: string, env: Record<string, string>) => startLatchkey(name, cleanup, undefined, env);
  return [
    toSubject(bare, requests),
    toSubject(await start('Latchkey, no traces', {}), requests),
    toSubject(await start('Latchkey, 1 % traced', few), requests),
    toSubject(await start('Latchkey, all traced', all), requests),
  ];
}

/** A collector that takes everything. */
async function startCollector(cleanup: Cleanup): Promise<string> {
  const collector = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  cleanup.add({
    stop() {
      collector.close();
      collector.closeAllConnections();
    },
  });
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
}
