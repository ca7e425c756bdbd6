import { lookup } from 'node:dns/promises';
import type { Agent, IncomingMessage, request } from 'node:http';
import { shareLookups } from './share-lookups.ts';

export interface PostAnswer {
  status: number;
  /** `Retry-After` in seconds; null without one. */
  retryAfterSeconds: number | null;
}

export interface Poster {
  /**
   * Sends a message. Redirects are not followed: they could lead to an origin that is not listed.
   *
   * @throws errors of the network as they come, a TimeoutError at the limit, an AbortError at the end of the process
   */
  post(url: URL, headers: Record<string, string>, body: string): Promise<PostAnswer>;
  /** Ends tries that are under way. */
  close(): void;
}

/** Standard Webhooks recommends 15 to 30 s. Less, so that a receiver that hangs does not hold its place for long. */
const answerLimitMs = 10_000;
/** A connection without a message is closed then, before the receiver or a firewall forgets it: Node's own servers do after 5 s. */
const idleMs = 4_000;
/** The answer is not used. A short one is read, so that its connection can be used again. */
const answerBytes = 4_096;

/**
 * With the client of Node: loading another one would stop the process for some 80 ms when the first message is sent. Connections are not
 * limited, because the dispatcher limits the tries of each webhook: with a limit for an origin, a receiver that hangs would delay another one
 * at the same origin.
 */
export function openPoster(limitMs = answerLimitMs): Poster {
  const agents = new Map<string, Agent>();
  const kept = { keepAlive: true, timeout: idleMs, lookup: shareLookups(lookup) };
  const closing = new AbortController();

  function clientOf({ protocol }: URL): Client {
    // `import` would also load the browser's APIs that these modules export, some 2 MiB.
    const { request, Agent } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    const agent = agents.get(protocol) ?? new Agent(kept);
    agents.set(protocol, agent);
    return { request, agent };
  }

  return {
    async post(url, headers, body) {
      const signal = AbortSignal.any([AbortSignal.timeout(limitMs), closing.signal]);
      try {
        const answer = await send(clientOf(url), { url, headers, body, signal });
        // Whether the rest arrives does not matter: the status has said it.
        await readSome(answer).catch(() => {});
        const retryAfter = answer.headers['retry-after'] ?? '';
        return {
          status: answer.statusCode ?? 0,
          retryAfterSeconds: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null,
        };
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    },
    close() {
      closing.abort();
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

interface Client {
  request: typeof request;
  agent: Agent;
}

interface Message {
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

function send({ request, agent }: Client, { url, headers, body, signal }: Message): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'latchkey-webhooks',
      },
      agent,
      signal,
    });
    sent.once('response', resolve);
    // After the answer too, where nobody waits for it.
    sent.on('error', reject);
    // Neither of the two comes where a receiver takes another protocol than was asked for (101).
    sent.once('close', () => reject(Object.assign(new Error('closed'), { code: 'NO_ANSWER' })));
    sent.end(body);
  });
}

/** Reads an answer, and closes its connection if the answer is long. */
async function readSome(answer: IncomingMessage): Promise<void> {
  let count = 0;
  for await (const chunk of answer) {
    count += (chunk as Buffer).length;
    // Leaving the loop destroys the stream.
    if (count > answerBytes) return;
  }
}
