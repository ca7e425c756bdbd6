import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream';
import { listenOnLoopback } from './listen-on-loopback.ts';

/** An answered request to the store. */
export interface StoreAnswer {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
}

/** A proxy before a store. It passes everything on unchanged and records the answers. */
export interface UploadGate {
  readonly endpoint: string;
  readonly answers: StoreAnswer[];
  close(): void;
}

/** @param onAnswer called before an answer goes on to the client, which waits for its promise */
export async function openUploadGate(
  storeEndpoint: string,
  onAnswer: (answer: StoreAnswer) => void | Promise<void> = () => {},
): Promise<UploadGate> {
  const answers: StoreAnswer[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    // The Host stays: it is signed.
    const forwarded = request(`${storeEndpoint}${url}`, { method, headers }, async (answer) => {
      const seen = { method, path: url.split('?')[0] ?? '', status: answer.statusCode ?? 0 };
      answers.push(seen);
      await onAnswer(seen);
      // The client may have ended meanwhile. The store has the object anyway.
      if (outgoing.destroyed) return void answer.resume();
      outgoing.writeHead(seen.status, answer.rawHeaders);
      pipeline(answer, outgoing, () => {});
    });
    pipeline(incoming, forwarded, (error) => {
      if (error) outgoing.destroy();
    });
    // For errors after the body has been passed on.
    forwarded.on('error', () => outgoing.destroy());
  });
  const { origin, close } = await listenOnLoopback(server);
  return { endpoint: origin, answers, close };
}
