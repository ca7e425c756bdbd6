import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** A request to the store, once it has been answered. */
export interface StoreAnswer {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
}

/** Stands before a store, passes everything on as it is, and keeps what was answered. */
export interface UploadGate {
  readonly endpoint: string;
  readonly answers: StoreAnswer[];
  close(): void;
}

/** @param onAnswer called before an answer goes on to the client; that waits for what it gives */
export async function openUploadGate(
  storeEndpoint: string,
  onAnswer: (answer: StoreAnswer) => void | Promise<void> = () => {},
): Promise<UploadGate> {
  const answers: StoreAnswer[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    // The Host stays: it is signed.
    const forwarded = request(`${storeEndpoint}${url}`, { method, headers }, async (answer) => {
      const told = { method, path: url.split('?')[0] ?? '', status: answer.statusCode ?? 0 };
      answers.push(told);
      await onAnswer(told);
      // A client that was ended meanwhile: the store has the object all the same.
      if (outgoing.destroyed) return void answer.resume();
      outgoing.writeHead(told.status, answer.rawHeaders);
      pipeline(answer, outgoing, () => {});
    });
    pipeline(incoming, forwarded, (error) => {
      if (error) outgoing.destroy();
    });
    // What goes wrong once the body has been passed on.
    forwarded.on('error', () => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
