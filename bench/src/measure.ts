import autocannon from 'autocannon';
import { readCpuMs } from './proc/process-usage.ts';
import type { Subject } from './servers.ts';

export interface Measurement {
  name: string;
  requestsPerSecond: number;
  p99Ms: number;
  /** CPU time of the server process for one request, user and system. Null if the system does not show it. */
  cpuMicrosPerRequest: number | null;
}

/** Loads one server from two threads, so that the load generator is not the slowest part. */
export async function measure(
  subject: Subject,
  load: { seconds: number; connections: number },
): Promise<Measurement> {
  const cpuBefore = cpuMicros(subject.pid);
  const result = await autocannon({
    url: subject.url,
    connections: load.connections,
    duration: load.seconds,
    workers: 2,
    headers: subject.headers,
  });
  const cpuAfter = cpuMicros(subject.pid);
  const wrong = result.non2xx + result.errors + result.timeouts;
  if (wrong > 0) throw new Error(`${subject.name}: ${wrong} of ${result.requests.total} requests failed`);
  return {
    name: subject.name,
    requestsPerSecond: result.requests.total / result.duration,
    p99Ms: result.latency.p99,
    cpuMicrosPerRequest:
      cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / result.requests.total,
  };
}

function cpuMicros(pid: number): number | null {
  try {
    return readCpuMs(pid) * 1_000;
  } catch {
    return null;
  }
}
