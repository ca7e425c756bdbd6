import { Agent, request } from 'undici';

/** What a receiver answered. */
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
  close(): Promise<void>;
}

/** Standard Webhooks recommends 15 to 30 s. Less, so that a receiver that hangs does not hold its place for long. */
const answerLimitMs = 10_000;
/** The answer is not used. A short one is read, so that its connection can be used again. */
const answerBytes = 4_096;
/** As many messages of one webhook are under way. */
const connectionsToEach = 4;

export function openPoster(limitMs = answerLimitMs): Poster {
  const dispatcher = new Agent({ connections: connectionsToEach });
  const closing = new AbortController();
  return {
    async post(url, headers, body) {
      const signal = AbortSignal.any([AbortSignal.timeout(limitMs), closing.signal]);
      const answer = await request(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'latchkey-webhooks' },
        body,
        dispatcher,
        signal,
      });
      const retryAfter = answer.headers['retry-after'];
      // Whether the rest arrives does not matter: the status has said it.
      await answer.body.dump({ limit: answerBytes, signal }).catch(() => {});
      return {
        status: answer.statusCode,
        retryAfterSeconds: /^\d{1,6}$/.test(String(retryAfter)) ? Number(retryAfter) : null,
      };
    },
    async close() {
      closing.abort();
      await dispatcher.destroy();
    },
  };
}
