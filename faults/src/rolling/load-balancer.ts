import type { Server } from '../stack/server.ts';

/** As in front of gateways: each request goes to one that was ready when it was last asked. */
export interface LoadBalancer {
  origin(): string;
  stop(): void;
}

/** As often as a load balancer with the shortest usual interval asks. */
const probeEveryMs = 500;

export function startLoadBalancer(gateways: readonly Server[]): LoadBalancer {
  let ready = [...gateways];
  let turn = 0;
  const timer = setInterval(async () => {
    const states = await Promise.all(gateways.map((gateway) => gateway.isReady()));
    const found = gateways.filter((_, index) => states[index]);
    if (found.length > 0) ready = found;
  }, probeEveryMs);
  return {
    origin: () => ready[turn++ % ready.length]?.url ?? '',
    stop: () => clearInterval(timer),
  };
}
