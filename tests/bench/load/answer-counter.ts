import { AnswerReader } from './answer-reader.ts';

/** Answers have some 300 bytes. A longer one comes in parts. */
export const readBytes = 4_096;
/** Where the digits of the status of an answer are: after `HTTP/1.1 `. */
const statusAt = 9;
/** Of the digit 0 in ASCII, as part of a number of three digits. */
const zeros = 111 * 48;

/**
 * Reads answers to single requests. A chunk with the length and the status of the answer before is one answer: reading each head
 * in full would take a third of the load generator's time.
 *
 * @returns for the first bytes of a buffer the status of the answer that ends in them; null if none does
 */
export function createAnswerCounter(): (length: number, buffer: Buffer) => number | null {
  const reader = new AnswerReader();
  let known = { length: 0, status: 0 };
  let isWhole = true;
  const statusOf = (buffer: Buffer) =>
    (buffer[statusAt] ?? 0) * 100 + (buffer[statusAt + 1] ?? 0) * 10 + (buffer[statusAt + 2] ?? 0) - zeros;
  return (length, buffer) => {
    const status = statusOf(buffer);
    if (isWhole && length === known.length && status === known.status) return status;
    // The buffer is used again for the next answer, and the reader keeps what is not whole.
    const [read] = reader.push(Buffer.from(buffer.subarray(0, length)));
    if (read !== undefined && isWhole) known = { length, status };
    isWhole = read !== undefined;
    return read ?? null;
  };
}
