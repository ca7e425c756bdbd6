import { type Answer, exchange } from './exchange.ts';
import type { Forms } from './forms.ts';
import { adminKey } from './odd-key-requests.ts';
import type { Records } from './records.ts';
import type { Server } from './servers.ts';
import { showAnswer } from './show-answer.ts';
import { waitUntil } from './wait-until.ts';

/** A request in parts. Its head also gets a host and the length of its body. */
export interface Request {
  method: string;
  target: string;
  headers?: readonly string[];
  body?: string | Buffer;
}

/** Sends requests to the server of one profile, one after the other, and records their answers. */
export interface Recorder {
  server: Server;
  forms: Forms;
  /**
   * @param subject names the request, and `variant` what is special about this one
   * @param shown the part that the variants of the subject share
   */
  record(place: Place, variant: string, request: Request | string): Promise<Answer | null>;
  /** A call that prepares others and is not recorded. @throws Error without success */
  call(method: string, target: string, body?: unknown, as?: string): Promise<Json>;
}

interface Place {
  file: string;
  subject: string;
  shown: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the members depend on the route
export type Json = any;

export const usualHost = 'host: keys.example';
/** A subject shows no more of a body. */
const shownBytes = 1_500;

/** On a busy machine a service may not answer in time. The gateway answers 503, and counts it as down until it answers. */
function isLate(first: string, answer: Answer | null): boolean {
  const isDown = / \/ready/.test(first) && /"status":"(?:down|degraded)"/.test(`${answer?.body}`);
  return isDown || answer?.status === 503;
}

/** Sends the request again while a service is late. None of the recorded answers is a 503. */
async function exchangeInTime(port: number, request: Buffer): Promise<Answer | null> {
  const first = request.subarray(0, request.indexOf('\r\n')).toString('latin1');
  let answer: Answer | null = null;
  await waitUntil(`an answer in time to ${first}`, async () => {
    answer = await exchange(port, request);
    return !isLate(first, answer);
  });
  return answer;
}

export function createRecorder(server: Server, forms: Forms, records: Records): Recorder {
  return {
    server,
    forms,
    async record({ file, subject, shown }, variant, request) {
      const raw = typeof request === 'string' ? Buffer.from(request, 'latin1') : toBytes(request);
      const first = raw.subarray(0, raw.indexOf('\r\n')).toString('latin1');
      const answer = await exchangeInTime(server.port, raw);
      const text = showAnswer(first, answer, forms);
      const clip = (each: string) => forms.apply(each).slice(0, shownBytes);
      records.add(file, subject, clip(shown), clip(variant).replaceAll('\n', ' ⏎ '), server.profile, text);
      return answer;
    },
    async call(method, target, body, as = adminKey) {
      const headers = [`authorization: Bearer ${as}`];
      const request = toBytes({ method, target, headers, ...jsonBody(body) });
      const answer = await exchangeInTime(server.port, request);
      const text = answer?.body.toString() ?? '';
      // Names the times in it: a later answer has them too.
      forms.apply(text);
      if (!answer || answer.status >= 300)
        throw new Error(`${server.profile}: ${method} ${target}: ${answer?.status} ${text}`);
      return text === '' ? {} : JSON.parse(text);
    },
  };
}

export function jsonBody(body: unknown): { body?: string } {
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

function toBytes({ method, target, headers = [], body }: Request): Buffer {
  const isTyped = headers.some((header) => /^content-type:/i.test(header));
  const own = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const type = body === undefined || isTyped ? [] : ['content-type: application/json'];
  const lines = [...headers, ...type, ...own];
  const head = [`${method} ${target} HTTP/1.1`, usualHost, ...lines, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}
