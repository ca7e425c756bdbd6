import { setTimeout as sleep } from 'node:timers/promises';
import type { LatchkeyProcess } from '@latchkey/rig/processes/latchkey-process';

/** As in front of gateways: each request goes to one that was ready when it was last asked. */
export interface LoadBalancer {
  origin(): string;
  stop(): void;
}

/** As often as a load balancer with the shortest usual interval asks. */
const probeEveryMs = 500;

export function startLoadBalancer(gateways: readonly LatchkeyProcess[]): LoadBalancer {
  const ready = new Set(gateways);
  let turn = 0;
  let stopped = false;

  /** Each by itself and one question at a time: a slow answer of one says nothing late of another, and nothing old of itself. */
  async function watch(gateway: LatchkeyProcess): Promise<void> {
    while (!stopped) {
      if (await gateway.isReady()) ready.add(gateway);
      else ready.delete(gateway);
      await sleep(probeEveryMs);
    }
  }

  for (const gateway of gateways) void watch(gateway);
  return {
    origin() {
      const among = ready.size > 0 ? [...ready] : gateways;
      return among[turn++ % among.length]?.url ?? '';
    },
    stop() {
      stopped = true;
    },
  };
}
