import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** The network between two processes, which can be cut or made slow. */
export interface TcpProxy {
  port: number;
  /** Passes nothing on, as if a cable were pulled: connections neither break nor answer. */
  cut(): void;
  /** Delays what goes to the target, and not its answers: a request and its answer together take this much longer. */
  slow(delayMs: number): void;
  /** Ends the cut or the delay, and passes on what was held back. */
  heal(): void;
  /** Breaks open connections, and connects later ones to this port, as when another server takes over a name. */
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
    // Each side ends as the other one ended: a refused connection is reset here too.
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

/** Passes chunks on in their order, each with the delay that applies when it arrives. */
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
