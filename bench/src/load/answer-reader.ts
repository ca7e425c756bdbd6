const headEnd = '\r\n\r\n';
/** Node's limit for a head is 16 KiB: what is longer is no answer of ours. */
const longestHeadOctets = 16 * 1024;

/**
 * Finds the answers in what a keep-alive connection brings (RFC 9112). Only those with a Content-Length: every answer to a
 * key request has one.
 */
export class AnswerReader {
  #pending: Buffer | null = null;

  /**
   * @returns the statuses of the answers that end in this chunk
   * @throws Error where it is no such answer
   */
  push(chunk: Buffer): number[] {
    let rest = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    const statuses: number[] = [];
    for (;;) {
      const answer = readAnswer(rest);
      if (!answer) break;
      statuses.push(answer.status);
      rest = rest.subarray(answer.octets);
      if (rest.length === 0) break;
    }
    this.#pending = rest.length > 0 ? rest : null;
    return statuses;
  }
}

function readAnswer(octets: Buffer): { status: number; octets: number } | null {
  const headOctets = octets.indexOf(headEnd);
  if (headOctets < 0) {
    if (octets.length > longestHeadOctets) throw new Error('This is no answer over HTTP/1.1.');
    return null;
  }
  const head = octets.toString('latin1', 0, headOctets);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (Number.isNaN(status) || Number.isNaN(length)) throw new Error(`This answer has no length:\n${head}`);
  const end = headOctets + headEnd.length + length;
  return octets.length < end ? null : { status, octets: end };
}
