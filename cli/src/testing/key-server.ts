import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

export interface SeenRequest {
  /** Method and path. */
  readonly line: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Answers the n-th request, counted from 0. */
export type Answer = (request: IncomingMessage, response: ServerResponse, n: number) => void;

/** A server on a free port that closes after the test. */
export async function startKeyServer(answer: Answer): Promise<{ url: string; seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const url = await listen(async (request, response) => {
    const body = await text(request);
    const { authorization } = request.headers;
    seen.push({ line: `${request.method} ${request.url}`, authorization, body });
    answer(request, response, seen.length - 1);
  });
  return { url, seen };
}

/** An error answer of Latchkey (RFC 9457). */
export function answerProblem(
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
  response.end(
    JSON.stringify({ type: `urn:latchkey:error:${code}`, status, code, detail, requestId: 'r-1' }),
  );
}
