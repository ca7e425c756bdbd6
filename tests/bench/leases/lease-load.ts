import { createConnection } from 'node:net';
import { viewerToken } from '@latchkey/support/tokens';
import { monotonicMs } from '../load/order.ts';
import { quantile } from '../quantile.ts';

/** What each connection repeats: creations alone, or a creation, a renewal and a release. */
export type LeaseCycle = 'create' | 'create, renew, release';

export interface LeaseLoad {
  url: string;
  tokenSecret: string;
  contentId: string;
  connections: number;
  seconds: number;
  cycle: LeaseCycle;
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>;
}

export interface LeaseLoadResult {
  acts: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Loads a server with acts on leases, each connection as one viewer after another that sends one request at a time.
 *
 * @throws Error if an act is not answered with a success
 */
export async function loadLeases(load: LeaseLoad): Promise<LeaseLoadResult> {
  const latenciesMs: number[] = [];
  const startedAtMs = monotonicMs();
  const endsAtMs = startedAtMs + load.seconds * 1_000;
  const viewers = Array.from({ length: load.connections }, (_, n) =>
    playViewer(n, load, endsAtMs, latenciesMs),
  );
  await Promise.all(viewers);
  const seconds = (monotonicMs() - startedAtMs) / 1_000;
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    acts: sorted.length,
    perSecond: sorted.length / seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  };
}

/** Whole cycles, and fewer than the leases that a viewer may make in a minute. */
const actsOfViewer = 300;

function playViewer(n: number, load: LeaseLoad, endsAtMs: number, latenciesMs: number[]): Promise<void> {
  const { hostname, port, host } = new URL(load.url);
  // Another viewer after so many acts: one alone would reach its ceiling of a minute.
  const tokenAt = (step: number) =>
    viewerToken(load.tokenSecret, `viewer-${n}-${Math.floor(step / actsOfViewer)}`);
  let token = tokenAt(0);
  const extra = Object.entries(load.headers ?? {})
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const request = (path: string, body: object) => {
    const json = JSON.stringify(body);
    return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${extra}content-length: ${json.length}\r\n\r\n${json}`;
  };
  const create = () => request('/keys/leases', { contentId: load.contentId });
  const steps: ((leaseId: string) => string)[] =
    load.cycle === 'create'
      ? [create]
      : [
          create,
          (leaseId) => request('/keys/leases/renew', { leaseId }),
          (leaseId) => request('/keys/leases/revoke', { leaseId }),
        ];
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
    let step = 0;
    let leaseId = '';
    let sentAtMs = 0;
    let received = '';
    const send = () => {
      sentAtMs = monotonicMs();
      socket.write(steps[step % steps.length]?.(leaseId) ?? '');
    };
    socket.once('connect', send).on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      if (!/^HTTP\/1\.1 20[01] /.test(received)) return socket.destroy(new Error(received));
      latenciesMs.push(monotonicMs() - sentAtMs);
      leaseId = /"id":"([0-9a-f-]{36})"/.exec(received)?.[1] ?? leaseId;
      received = '';
      step++;
      if (step % actsOfViewer === 0) token = tokenAt(step);
      if (monotonicMs() < endsAtMs) return send();
      socket.end();
      resolve();
    });
  });
}

function isWhole(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1]);
  return headEnd >= 0 && received.length >= headEnd + 4 + length;
}
