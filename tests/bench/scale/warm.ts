import type { Loader } from '../load/loader.ts';
import type { OpenOrder } from '../load/order.ts';
import { type DataPlane, internalSecret } from '../stack/services.ts';

/** For each process. It can serve more, so nothing queues. */
const ratePerSecond = 4_000;

/**
 * Sends every process the same number of requests, because the compiler makes later requests cheaper. Through the gateways a
 * replica gets only its share, so the rest goes to it directly. With more gateways than replicas, replicas get more.
 */
export async function warmEqually(
  plane: Pick<DataPlane, 'gateways' | 'replicas'>,
  loader: Loader,
  viewers: Omit<OpenOrder, 'urls' | 'internalSecret'>,
  requestsEach: number,
): Promise<void> {
  const gateways = plane.gateways.map(({ url }) => url);
  const replicas = plane.replicas.map(({ url }) => url);
  if (gateways.length > 0) {
    await loader.open({ ...viewers, urls: gateways });
    // All gateways together get the rate of one, so that the machine is not overloaded.
    await loader.run({ requests: requestsEach * gateways.length, ratePerSecond });
  }
  const left = requestsEach * (replicas.length - gateways.length);
  if (left <= 0) return;
  await loader.open({ ...viewers, urls: replicas, internalSecret });
  await loader.run({ requests: left, ratePerSecond: ratePerSecond * replicas.length });
}
