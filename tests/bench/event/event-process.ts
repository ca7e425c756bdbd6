// The load generator of an event, a process of its own. It executes one order at a time, and ends with its parent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crossPeriods } from './cross-periods.ts';
import type { EventOrder } from './event-order.ts';
import { EventViewer } from './event-viewer.ts';
import { joinEvent } from './join-event.ts';

let viewers: EventViewer[] = [];
/** Requests to a server of this process, so that its code is compiled before the measurement. */
const warmRequests = 2_000;

async function warm(): Promise<void> {
  const server = createServer((_, response) => response.end('{"id":"00000000-0000-0000-0000-000000000000"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let n = 0; n < warmRequests; n++) {
    const viewer = new EventViewer(url, '');
    await viewer.createLease('film', 0);
    viewer.close();
  }
  server.close();
}

async function execute(order: EventOrder): Promise<unknown> {
  if (order.kind === 'cross') return crossPeriods(order, viewers);
  await warm();
  for (const viewer of viewers) viewer.close();
  const joined = await joinEvent(order);
  viewers = joined.viewers;
  return joined.result;
}

process.on('message', async (order: EventOrder) => {
  try {
    process.send?.({ result: await execute(order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
