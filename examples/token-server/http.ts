import type { IncomingMessage, ServerResponse } from 'node:http';

/** The requests here have some 60 bytes. */
const mostBodyBytes = 1_024;

/** The members of a JSON body. Empty if it is not an object, or too long. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) {
    if (text.length <= mostBodyBytes) text += part;
  }
  try {
    const value: unknown = text.length > mostBodyBytes ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** `no-store`: tokens must not be cached. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

/** @param detail a sentence for people */
export function refuse(response: ServerResponse, status: number, code: string, detail: string): void {
  sendJson(response, status, { code, detail });
}
