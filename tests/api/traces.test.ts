import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually } from '@latchkey/support/black-box/eventually';
import { type RequestLine, readLines } from '@latchkey/support/black-box/request-lines';
import { startSeparateServices } from '@latchkey/support/black-box/separate-services';
import {
  makeApiKey,
  masterKeyHex,
  saltHex,
  startSingleNodeToClose,
} from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, expect, it, vi } from 'vitest';
import { startOtlpReceiver } from './otlp-receiver.ts';

// Six processes start and end in order, which takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { TEST_POSTGRES_URL = '', TEST_REDIS_URL, TEST_NATS_URL } = process.env;
const receiver = await startOtlpReceiver();
afterAll(() => receiver.close());

const adminApiKey = makeApiKey();
const jwtSecret = randomBytes(32).toString('hex');
const collectorKey = randomBytes(16).toString('hex');
const secrets = { ADMIN_API_KEY: adminApiKey, AUTH_JWT_SECRET: jwtSecret };
const stores = { REDIS_URL: TEST_REDIS_URL, NATS_URL: TEST_NATS_URL };

/** The trace of a stranger, who asks that it be recorded. */
const strangerTrace = randomBytes(16).toString('hex');
const stranger = {
  traceparent: `00-${strangerTrace}-${randomBytes(8).toString('hex')}-01`,
  tracestate: 'a=b',
};

/** The spans that the collector has received of the first request with this method and route. */
function findTrace(lines: RequestLine[], method: string, route: string) {
  const line = lines.find((each) => each.method === method && each.route === route);
  return receiver.spans().filter(({ traceId }) => traceId === line?.traceId);
}

const namesOf = (trace: ReturnType<typeof receiver.spans>) =>
  trace.map(({ service, name }) => `${service}: ${name}`);

/** A run through separate services on Postgres, Redis and NATS, to the end of all processes, which send their last spans. */
async function record(settings: Record<string, string>) {
  const env = { ...secrets, MASTER_KEY_HEX: masterKeyHex, SALT_HEX: saltHex, ...stores, ...settings };
  const server = await startSeparateServices({ ...env, SHUTDOWN_DRAIN_SECONDS: '0' }, TEST_POSTGRES_URL);
  const names = { contentId: unique('content'), viewerId: unique('viewer'), requestId: unique('request') };
  const token = viewerToken(Buffer.from(jwtSecret), names.viewerId);
  const call = async (method: string, path: string, as: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${as}`,
      'x-request-id': names.requestId,
      ...stranger,
      ...(body && { 'content-type': 'application/json' }),
    };
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, bytes };
  };
  let hidden: string[];
  try {
    const { contentId, viewerId } = names;
    // A service is ready before it is connected to NATS, and gets no message of before.
    await eventually(async () => {
      const report = await (await fetch(`${server.url}/ready`)).json();
      expect(report).toMatchObject({ dependencies: { bus: { status: 'up' } } });
    });
    const made = await call('POST', '/api/v1/content', adminApiKey, { name: 'film', id: contentId });
    const lease = await call('POST', '/keys/leases', token, { contentId });
    const key = await call('GET', `/keys/${contentId}`, token);
    const revoked = await call('POST', '/keys/leases/revoke', adminApiKey, { viewerId, contentId });
    expect([made, lease, key, revoked].map(({ status }) => status)).toEqual([201, 201, 200, 200]);
    const leaseId: string = JSON.parse(lease.bytes.toString()).lease.id;
    await eventually(async () => expect((await call('GET', `/keys/${contentId}`, token)).status).toBe(403));
    // The pull of changes may be faster than NATS, and then the process could end before the message comes.
    await eventually(() =>
      expect(namesOf(findTrace(readLines(server.process), 'POST', '/keys/leases/revoke'))).toContain(
        'latchkey-key-derivation: process latchkey.changes',
      ),
    );
    hidden = [...Object.values(names), ...Object.values(secrets), token, leaseId, key.bytes.toString('hex')];
  } finally {
    server.process.kill('SIGTERM');
    await server.process.ended();
    await server.remove();
  }
  // After the end, when every line has come.
  return { lines: readLines(server.process), hidden };
}

it('a trace leads from the gateway through services, database, Redis and NATS, and shows no viewer, content or credential', async () => {
  const { lines, hidden } = await record({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorKey}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const spans = receiver.spans();
  const ofKey = namesOf(findTrace(lines, 'GET', '/keys/:contentId'));
  expect(ofKey).toEqual(
    expect.arrayContaining([
      'latchkey-gateway: GET /keys/:contentId',
      'latchkey-gateway: forward to key-derivation',
      'latchkey-key-derivation: GET /keys/:contentId',
      'latchkey-key-derivation: call content',
      'latchkey-content: SELECT contents',
      'latchkey-key-derivation: redis getrange',
    ]),
  );
  const ofRevocation = namesOf(findTrace(lines, 'POST', '/keys/leases/revoke'));
  expect(ofRevocation).toEqual(
    expect.arrayContaining([
      'latchkey-leases: publish latchkey.changes',
      'latchkey-key-derivation: process latchkey.changes',
    ]),
  );
  for (const { traceId, spanId, parentSpanId, startedAt, endedAt } of spans) {
    expect([traceId, spanId]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ]);
    expect(endedAt).toBeGreaterThanOrEqual(startedAt);
    if (parentSpanId) expect(spans.map((span) => span.spanId)).toContain(parentSpanId);
  }
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(new Set(roots.map(({ service }) => service))).toEqual(new Set(['latchkey-gateway']));
  expect(receiver.headers[0]?.authorization).toBe(`Bearer ${collectorKey}`);

  const sent = receiver.texts.join('\n');
  expect(sent).toContain('deployment.environment.name');
  for (const each of [...hidden, collectorKey, strangerTrace, masterKeyHex, saltHex, '127.0.0.1:']) {
    expect([each.slice(0, 12), sent.includes(each)]).toEqual([each.slice(0, 12), false]);
  }
});

/** A single node after a request of the stranger and three that fail, to its end, and what the collector got of it. */
async function recordSingleNode(settings: Record<string, string>) {
  const collector = await startOtlpReceiver();
  const node = await startSingleNodeToClose({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings });
  try {
    for (const path of ['/health', '/keys/x']) await fetch(`${node.url}${path}`, { headers: stranger });
    const db = new DatabaseSync(join(node.folder, 'latchkey.db'));
    db.exec('ALTER TABLE contents RENAME TO gone');
    db.close();
    const headers = { authorization: `Bearer ${node.adminApiKey}` };
    for (let n = 0; n < 3; n++)
      expect((await fetch(`${node.url}/api/v1/content`, { headers })).status).toBe(500);
  } finally {
    await node.close();
    collector.close();
  }
  const lines = readLines(node.process);
  const traces = lines.flatMap(({ path, traceId }) => (path === '/keys/x' ? [traceId] : []));
  return { spans: collector.spans(), traces, lines, errors: node.process.stderr() };
}

it('a stranger who asks for a recording gets none where the sampler takes no request, and the line names no trace', async () => {
  const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  expect(await recordSingleNode(sampler)).toMatchObject({ spans: [], traces: [undefined] });
});

const trusting = await recordSingleNode({ TRUST_TRACEPARENT: 'true', OTEL_SERVICE_NAME: 'keys' });

it('with TRUST_TRACEPARENT the trace of the caller goes on, its line names it, and probes are not recorded', () => {
  const { spans, traces } = trusting;
  expect(traces).toEqual([strangerTrace]);
  expect(spans.filter(({ kind }) => kind === 2).map(({ traceId, name }) => [traceId, name])).toEqual(
    expect.arrayContaining([[strangerTrace, 'GET /keys/:contentId']]),
  );
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['keys']));
  expect(spans.filter(({ name }) => name.includes('health'))).toEqual([]);
});

it('the operator’s line of a failed request has the trace and the request id of the request’s own line', () => {
  const asked = trusting.lines.filter(({ path }) => path === '/api/v1/content');
  const failures = trusting.errors
    .split('\n')
    .flatMap((line) => (line.includes('a request failed with 500') ? [JSON.parse(line)] : []));
  const name = ({ requestId, traceId }: Record<string, unknown>) => [requestId, traceId];
  expect(failures.map(name)).toEqual(asked.map(name));
  expect(new Set(failures.map(({ traceId }) => traceId)).size).toBe(3);
});
