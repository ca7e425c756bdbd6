/**
 * Passes a stream on that has exactly the size that was said. The last piece waits until the end of the stream is known:
 * a store keeps nothing of an object that is not complete.
 *
 * @param size bytes
 * @param onFault the stream failed, or has another size; the result fails with the same error
 */
export function guardStream(
  stream: ReadableStream<Uint8Array>,
  size: number,
  onFault: (cause: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let readBytes = 0;
  let last: Uint8Array | undefined;

  /** @returns the piece before the one that is read; undefined for the first */
  async function next(): Promise<{ done: boolean; piece: Uint8Array | undefined }> {
    const { done, value } = await reader.read();
    readBytes += value?.byteLength ?? 0;
    if (readBytes > size || (done && readBytes < size)) {
      await reader.cancel().catch(() => {});
      throw new Error(`it has ${done ? readBytes : `more than ${size}`} bytes now, not ${size}`);
    }
    const piece = last;
    last = value;
    return { done, piece };
  }

  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        for (;;) {
          const { done, piece } = await next();
          if (piece) controller.enqueue(piece);
          if (done) controller.close();
          if (done || piece) return;
        }
      } catch (cause) {
        onFault(cause);
        controller.error(cause);
      }
    },
    cancel: (reason: unknown) => reader.cancel(reason),
  };
  // Nothing is read before somebody wants it: a request that never begins opens no file.
  return new ReadableStream(source, { highWaterMark: 0 });
}
