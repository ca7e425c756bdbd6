import { setTimeout as sleep } from 'node:timers/promises';
import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';

/** Sends each request to a gateway that was ready at its last probe. */
export interface LoadBalancer {
  origin(): string;
  stop(): void;
}

/** The shortest usual interval of a load balancer. */
const probeEveryMs = 500;

export function startLoadBalancer(gateways: readonly LatchkeyProcess[]): LoadBalancer {
  const ready = new Set(gateways);
  let turn = 0;
  let stopped = false;

  /** Each gateway has a loop of its own with one probe at a time, so a slow gateway delays no probe of another. */
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
