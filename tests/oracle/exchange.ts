import { connect } from 'node:net';

/** An answer as it came, with its body put together. */
export interface Answer {
  status: number;
  /** In the order of the answer, names in lower case. */
  headers: [name: string, value: string][];
  body: Buffer;
}

/** Nothing that is recorded takes this long. */
const limitMs = 30_000;

/**
 * Sends a request as it is, and reads its answer.
 *
 * @returns null if the server closes the connection without an answer
 */
export async function exchange(port: number, request: Buffer): Promise<Answer | null> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(limitMs, () => socket.destroy(new Error(`no answer to ${request.subarray(0, 200)}`)));
  socket.write(request);
  const isHead = request.subarray(0, 5).toString() === 'HEAD ';
  let read = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      read = Buffer.concat([read, chunk as Buffer]);
      const answer = parse(read, isHead, false);
      if (answer) return answer;
    }
  } catch (error) {
    // A server that refuses a request may close before it has read everything.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  } finally {
    socket.destroy();
  }
  return parse(read, isHead, true);
}

/** @returns null while something is missing */
function parse(bytes: Buffer, isHead: boolean, isClosed: boolean): Answer | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  const rest = bytes.subarray(end + 4);
  if (status < 200) return parse(rest, isHead, isClosed);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const headerOf = (name: string) => headers.find(([each]) => each === name)?.[1];
  // An event stream has no end.
  if (isHead || status === 204 || status === 304 || headerOf('content-type')?.startsWith('text/event-stream'))
    return { status, headers, body: Buffer.alloc(0) };
  const length = headerOf('content-length');
  if (length !== undefined) {
    return rest.length < Number(length) && !isClosed ? null : { status, headers, body: rest };
  }
  if (headerOf('transfer-encoding') !== 'chunked') return isClosed ? { status, headers, body: rest } : null;
  const body = joinChunks(rest);
  return body && { status, headers, body };
}

function joinChunks(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    if (size === 0) return Buffer.concat(chunks);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return null;
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
