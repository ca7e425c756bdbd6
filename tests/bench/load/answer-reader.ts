const headEnd = '\r\n\r\n';
/** Node's limit for a head is 16 KiB, so a longer one does not come from Latchkey. */
const longestHeadBytes = 16 * 1024;

/** Finds answers in the bytes of a keep-alive connection (RFC 9112). They need a Content-Length, as every answer to a key request has. */
export class AnswerReader {
  #pending: Buffer | null = null;

  /**
   * @returns the statuses of the answers that end in this chunk
   * @throws Error if it is not such an answer
   */
  push(chunk: Buffer): number[] {
    let rest = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    const statuses: number[] = [];
    for (;;) {
      const answer = readAnswer(rest);
      if (!answer) break;
      statuses.push(answer.status);
      rest = rest.subarray(answer.length);
      if (rest.length === 0) break;
    }
    this.#pending = rest.length > 0 ? rest : null;
    return statuses;
  }
}

function readAnswer(bytes: Buffer): { status: number; length: number } | null {
  const headLength = bytes.indexOf(headEnd);
  if (headLength < 0) {
    if (bytes.length > longestHeadBytes) throw new Error('This is not an answer over HTTP/1.1.');
    return null;
  }
  const head = bytes.toString('latin1', 0, headLength);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const bodyLength = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (Number.isNaN(status) || Number.isNaN(bodyLength))
    throw new Error(`This answer has no length:\n${head}`);
  const length = headLength + headEnd.length + bodyLength;
  return bytes.length < length ? null : { status, length };
}
