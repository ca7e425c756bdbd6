import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receivers of webhooks in this process. */
export interface Receivers {
  origin: string;
  /** When each message about a lease came, by the number of the receiver, on the clock of `performance.now`. */
  arrivals: Map<string, Map<number, number>>;
  /** Receivers that leave every message without an answer, by their numbers. */
  hanging: Set<number>;
  stop(): Promise<void>;
}

/** Starts a server whose path `/hooks/N` is receiver N. */
export async function startReceivers(): Promise<Receivers> {
  const arrivals: Receivers['arrivals'] = new Map();
  const hanging = new Set<number>();
  const server = createServer(async (request, response) => {
    const cameAt = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const receiver = Number(request.url?.split('/').at(-1));
    if (hanging.has(receiver)) return;
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { leaseId?: string } };
    const times = arrivals.get(data.leaseId ?? '') ?? new Map<number, number>();
    // A message may come twice; the first has brought the news.
    if (!times.has(receiver)) times.set(receiver, cameAt);
    arrivals.set(data.leaseId ?? '', times);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    arrivals,
    hanging,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
