import { randomUUID } from 'node:crypto';
import { createHost } from '../http/host.ts';
import type { App } from '../http/index.ts';
import { createMetrics } from '../metrics/metrics.ts';

/** A host that has no routes yet and logs nothing. */
export function createSilentHost(changes: Partial<Parameters<typeof createHost>[0]> = {}): App {
  const ignore = () => {};
  return createHost({
    randomId: randomUUID,
    clientIpOf: () => '127.0.0.1',
    requestLog: null,
    operatorLog: { info: ignore, warn: ignore, error: ignore },
    metrics: createMetrics(),
    ...changes,
  });
}
