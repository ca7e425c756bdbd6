import { nowSeconds, signToken } from '@latchkey/support/tokens';

/** What a load generator sends. It is plain data, because it goes to another process. */
export type RequestSource =
  /** These requests in turn, each a whole head. */
  | { kind: 'listed'; requests: string[] }
  /** Requests of these viewers in turn, each with a token (HS256) that was never sent before. */
  | { kind: 'new tokens'; path: string; host: string; secret: string; viewers: number };

const tokenLifeSeconds = 7_200;
/** Older than the tolerance, so that no clock takes it for one of the future. */
const tokenAgeSeconds = 60;

/** @param lines further headers */
export function requestText(path: string, host: string, lines: readonly string[]): string {
  return `${[`GET ${path} HTTP/1.1`, `host: ${host}`, ...lines].join('\r\n')}\r\n\r\n`;
}

/** A function that returns the next request each time. */
export function openSource(source: RequestSource): () => Buffer {
  let turn = 0;
  if (source.kind === 'listed') {
    const requests = source.requests.map((text) => Buffer.from(text));
    return () => requests[turn++ % requests.length] as Buffer;
  }
  const { path, host, secret, viewers } = source;
  const now = nowSeconds();
  const times = { iat: now - tokenAgeSeconds, exp: now + tokenLifeSeconds };
  // Different in each run, because the server may remember the tokens of the run before.
  const run = process.hrtime.bigint().toString(36);
  return () => {
    const n = turn++;
    const token = signToken(secret, { sub: `viewer-${n % viewers}`, ...times, jti: `${run}-${n}` });
    return Buffer.from(requestText(path, host, [`authorization: Bearer ${token}`]));
  };
}
