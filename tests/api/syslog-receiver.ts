import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A collector of syslog over TCP (RFC 6587, octet counting) on the loopback address. */
export interface SyslogReceiver {
  /** The JSON of each whole message, in the order of their arrival. */
  messages(): Record<string, unknown>[];
  /** Answers from now on. `silent`: it accepts connections, and neither reads nor ends them. */
  start(behaviour: 'reads' | 'silent'): Promise<void>;
  /** How many connections it has accepted since its last start. */
  connections(): number;
  /** Refuses connections from now on, and breaks open ones. */
  stop(): Promise<void>;
}

/** @param port a free one */
export function createSyslogReceiver(port: number): SyslogReceiver {
  const messages: Record<string, unknown>[] = [];
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  let connections = 0;
  const stop = async () => {
    const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
    await closed;
    server = null;
  };
  onTestFinished(stop);
  return {
    messages: () => messages,
    connections: () => connections,
    async start(behaviour) {
      connections = 0;
      server = createServer((socket) => {
        connections++;
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
        if (behaviour === 'reads') readMessages(socket, (message) => messages.push(message));
      });
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    },
    stop,
  };
}

/** RFC 5424 section 6: a header of seven fields without structured data, then the message. */
const header = /^<110>1 \S+ \S+ latchkey \d+ audit - /;

function readMessages(socket: Socket, take: (message: Record<string, unknown>) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const [count = '', length] = /^(\d+) /.exec(rest.subarray(0, 12).toString('latin1')) ?? [];
      const end = count.length + Number(length);
      if (length === undefined || rest.length < end) return;
      const text = rest.subarray(count.length, end).toString();
      if (!header.test(text)) throw new Error(`no message of the audit: ${text.slice(0, 100)}`);
      take(JSON.parse(text.replace(header, '')));
      rest = rest.subarray(end);
    }
  });
}
