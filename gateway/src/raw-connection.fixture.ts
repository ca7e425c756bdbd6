import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection of a test that sends bytes as they are. */
export function openConnection(port: number, text: string) {
  const socket = connect(port, '127.0.0.1');
  let read = '';
  let onRead = () => {};
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    read += chunk;
    onRead();
  });
  // A server that refuses may close before everything was sent.
  socket.on('error', () => {});
  socket.on('close', () => onRead());
  socket.write(text, 'latin1');
  return {
    socket,
    /** Resolves once the text has come. */
    async reads(expected: string): Promise<string> {
      while (!read.includes(expected)) {
        if (socket.closed) throw new Error(`closed after ${JSON.stringify(read)}`);
        await new Promise<void>((resolve) => (onRead = resolve));
      }
      return read;
    },
    /** Everything, once the other side has closed. */
    async all(): Promise<string> {
      if (!socket.closed) await once(socket, 'close');
      return read;
    },
  };
}

/** The text of a request, closed after its answer. */
export function toRawRequest(head: string, body = ''): string {
  const lines = head
    .trim()
    .split('\n')
    .map((line) => line.trim());
  return `${lines.join('\r\n')}\r\nhost: a\r\nconnection: close\r\n\r\n${body}`;
}
