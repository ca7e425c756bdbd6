import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** A stretch of network between two parties, which can be cut or made slow. */
export interface TcpProxy {
  port: number;
  /** From now on nothing comes through, as where a cable is pulled: connections neither break nor answer. */
  cut(): void;
  /** Everything towards the target takes so much longer: each question and its answer together take that once. */
  slow(delayMs: number): void;
  /** What was held back goes on its way. */
  heal(): void;
  /** Connections that are open break, and later ones go to this port: a name that another server has taken over. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

interface Link {
  client: Socket;
  target: Socket | null;
  connect(): void;
}

/** Listens on a free loopback port and passes everything on to another one. */
export async function startTcpProxy(firstTargetPort: number): Promise<TcpProxy> {
  let targetPort = firstTargetPort;
  const links = new Set<Link>();
  let isCut = false;
  let delayMs = 0;

  function join(link: Link): void {
    const target = createConnection({ port: targetPort, host: '127.0.0.1', noDelay: true });
    link.target = target;
    passOn(link.client, target, () => delayMs);
    passOn(target, link.client, () => 0);
    link.client.resume();
    // Broken off as it was broken off behind: a refusal there is one here.
    for (const [one, other] of [
      [link.client, target],
      [target, link.client],
    ] as const) {
      one.on('error', () => other.resetAndDestroy());
      one.on('close', () => other.destroy());
    }
    link.client.on('close', () => links.delete(link));
  }

  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    const link: Link = { client, target: null, connect: () => link.target ?? join(link) };
    client.on('error', () => {});
    client.on('close', () => links.delete(link));
    links.add(link);
    if (!isCut) link.connect();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const { client, target } of links) {
        client.pause();
        target?.pause();
      }
    },
    slow(ms) {
      delayMs = ms;
    },
    heal() {
      isCut = false;
      delayMs = 0;
      for (const link of links) {
        link.connect();
        link.client.resume();
        link.target?.resume();
      }
    },
    leadTo(port) {
      targetPort = port;
      for (const { client } of links) client.resetAndDestroy();
    },
    close() {
      for (const { client, target } of links) {
        client.destroy();
        target?.destroy();
      }
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Passes chunks on in their order, each after the delay that holds when it comes. */
function passOn(from: Socket, to: Socket, delayMs: () => number): void {
  let lastDueMs = 0;
  from.on('data', (chunk) => {
    const nowMs = performance.now();
    const dueMs = Math.max(lastDueMs, nowMs + delayMs());
    if (dueMs <= nowMs) {
      to.write(chunk);
      return;
    }
    lastDueMs = dueMs;
    setTimeout(() => to.destroyed || to.write(chunk), dueMs - nowMs);
  });
}
