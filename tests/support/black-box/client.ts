import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type Answer, readAnswer } from './answer.ts';
import type { ApiDocument } from './api-document.ts';
import { checkAnswer } from './check-answer.ts';

export interface CallOptions {
  /** For `Authorization: Bearer`. */
  as?: string | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, instead of `json`. */
  body?: string | Buffer | Readable;
  headers?: Record<string, string>;
  /** Without the checks of its answer, which take longer than the answer. */
  isOneOfMany?: boolean;
}

/** Calls the server. The test gets each answer checked, except in a flood (`isOneOfMany`). */
export interface Client {
  api: ApiDocument;
  /** @param target path and query */
  call(method: string, target: string, options?: CallOptions): Promise<Answer>;
  get(target: string, as?: string, headers?: Record<string, string>): Promise<Answer>;
  post(target: string, as: string | undefined, json?: unknown): Promise<Answer>;
  /** Request ids of all answers so far. */
  answered: string[];
  /** Every credential that was sent or received. */
  credentials: Set<string>;
}

/** The shortest `Retry-After` of a 503. */
const againAfterMs = 1_000;

/** @param tries how often a request is sent at most while the answer is 503 */
export function createClient(baseUrl: string, api: ApiDocument, tries = 1): Client {
  // The client closes idle connections before the server does, so that it uses no connection that is closing.
  const dispatcher = new Agent({ keepAliveTimeout: 2_000, keepAliveMaxTimeout: 2_000 });
  const answered: string[] = [];
  const credentials = new Set<string>();

  async function call(method: string, target: string, options: CallOptions = {}): Promise<Answer> {
    // A stream can be sent only once.
    for (let left = options.body instanceof Readable ? 1 : tries; ; left--) {
      const answer = await ask(method, target, options);
      if (answer.status !== 503 || left <= 1) return answer;
      await pause(againAfterMs);
    }
  }

  async function ask(method: string, target: string, options: CallOptions): Promise<Answer> {
    const { as, json, headers = {} } = options;
    const body = options.body ?? (json === undefined ? null : JSON.stringify(json));
    const response = await request(`${baseUrl}${target}`, {
      dispatcher,
      method: method as 'GET',
      headers: {
        ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
    });
    const answer = await readAnswer(method, target.split('?')[0] ?? '', response);
    answered.push(answer.requestId);
    if (as !== undefined) credentials.add(as);
    if (answer.json?.raw_key) credentials.add(answer.json.raw_key);
    // The URL of a session is its credential.
    if (answer.json?.session?.id) credentials.add(answer.json.session.id);
    if (answer.status === 200 && answer.type === 'application/octet-stream' && answer.bytes.length > 0)
      credentials.add(answer.bytes.toString('hex'));
    if (!options.isOneOfMany) checkAnswer(answer, headers['x-request-id'], api);
    return answer;
  }

  return {
    api,
    answered,
    credentials,
    call,
    get: (target, as, headers) => call('GET', target, { as, ...(headers && { headers }) }),
    post: (target, as, json) => call('POST', target, { as, json }),
  };
}
