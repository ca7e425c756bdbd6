/** Often enough to see that it goes on. */
const tellEveryMs = 200;

/**
 * The same answer, telling how much of it has come. The browser keeps what is read from it where it likes: a file of any
 * size needs no memory of this page.
 */
export function countOctets(response: Response, tell: (octets: number) => void): Response {
  let octets = 0;
  let toldMs = Number.NEGATIVE_INFINITY;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      octets += piece.byteLength;
      controller.enqueue(piece);
      const now = Date.now();
      if (now - toldMs < tellEveryMs) return;
      toldMs = now;
      tell(octets);
    },
  });
  return new Response(response.body?.pipeThrough(counter) ?? null, { headers: response.headers });
}
