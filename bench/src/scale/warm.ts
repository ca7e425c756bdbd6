import type { Loader } from '../load/loader.ts';
import type { OpenOrder } from '../load/order.ts';
import { type DataPlane, internalSecret } from '../stack/services.ts';

/** For each process; below what it serves, so that nothing queues. */
const ratePerSecond = 4_000;

/**
 * Gives every process the same number of requests: what the compiler has seen in a process decides what a request costs
 * there. Through the gateways a replica gets its share only; the rest it is asked directly. (Where there are more gateways
 * than replicas, replicas get more.)
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
    // One after the other would be the same; together they are no faster than one, so that the machine is not filled.
    await loader.run({ requests: requestsEach * gateways.length, ratePerSecond });
  }
  const left = requestsEach * (replicas.length - gateways.length);
  if (left <= 0) return;
  await loader.open({ ...viewers, urls: replicas, internalSecret });
  await loader.run({ requests: left, ratePerSecond: ratePerSecond * replicas.length });
}
