import { Agent } from 'undici';

/** The answer to one request, or its absence. Times are `performance.now()`. */
export interface Answer {
  /** 0: no answer came. */
  status: number;
  /** The code of the error, or why no answer came. */
  code: string;
  sentAtMs: number;
  doneAtMs: number;
  /** The body, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape
  json: any;
}

export interface Question {
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
}

/** Longer than the gateway waits for a service, so the gateway's own answer arrives. */
const patienceMs = 12_000;

/** One client for all requests: it opens as many connections as requests are under way. */
const agent = new Agent({ pipelining: 1, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 });

/** Sends one request. Never rejects. */
export async function ask(
  origin: string,
  { method = 'GET', path, headers, json }: Question,
): Promise<Answer> {
  const sentAtMs = performance.now();
  const result = (status: number, code: string, body: unknown): Answer => ({
    status,
    code,
    sentAtMs,
    doneAtMs: performance.now(),
    json: body,
  });
  try {
    const answer = await agent.request({
      origin,
      path,
      method: method as 'GET',
      headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      body: json === undefined ? null : JSON.stringify(json),
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await answer.body.text();
    const isJson = /json/.test(String(answer.headers['content-type'] ?? ''));
    const body = isJson && text !== '' ? JSON.parse(text) : null;
    return result(answer.statusCode, String(body?.code ?? ''), body);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return result(0, String(code ?? name), null);
  }
}
