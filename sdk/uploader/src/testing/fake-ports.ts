import type { Ports, PutAnswer, PutRequest } from '../ports.ts';

interface SeenPresign {
  readonly token: string;
  readonly key: string;
  readonly contentType: string;
  readonly contentLength: number;
  readonly cacheControl?: string;
}

/** Answers the n-th presign request, counted from 0. An Error is a network fault. */
export type AnswerPresign = (
  n: number,
  request: SeenPresign,
) => { status: number; headers?: Record<string, string>; json: unknown } | Error;
/** Answers the n-th PUT, counted from 0. An Error is a network fault. */
export type AnswerPut = (
  n: number,
  request: PutRequest,
) => Partial<PutAnswer> | Error | Promise<Partial<PutAnswer> | Error>;

/** Only the stall limits wait as long as this in these tests. */
const stallWaitMs = 30_000;

/** A fake key server, store and clock. Waits end at once and move the clock. Stall limits wait for `stall`. */
export function createFakePorts({
  answerPresign = givePresigned(),
  answerPut = () => ({}),
}: {
  answerPresign?: AnswerPresign;
  answerPut?: AnswerPut;
} = {}) {
  let nowMs = Date.parse('2026-11-21T12:00:00Z');
  let elapsedMs = 0;
  const pass = (ms: number) => {
    nowMs += ms;
    elapsedMs += ms;
  };
  let stalled = () => {};
  const presigns: SeenPresign[] = [];
  const puts: PutRequest[] = [];
  const waits: number[] = [];
  const ports: Ports = {
    async fetch(_url, init) {
      const headers = new Headers(init.headers);
      const token = headers.get('authorization')?.replace('Bearer ', '') ?? '';
      const seen = { token, ...JSON.parse(String(init.body)) } as SeenPresign;
      presigns.push(seen);
      const answer = answerPresign(presigns.length - 1, seen);
      if (answer instanceof Error) throw answer;
      return new Response(JSON.stringify(answer.json), {
        status: answer.status,
        headers: answer.headers ?? {},
      });
    },
    async put(request) {
      puts.push(request);
      const answer = await answerPut(puts.length - 1, request);
      if (answer instanceof Error) throw answer;
      return { status: 200, etag: '"e"', retryAfter: undefined, text: '', ...answer };
    },
    nowMs: () => nowMs,
    elapsedMs: () => elapsedMs,
    async wait(ms, signal) {
      signal.throwIfAborted();
      if (ms < stallWaitMs) {
        waits.push(ms);
        pass(ms);
        return;
      }
      await new Promise<void>((resolve, reject) => {
        stalled = () => {
          pass(ms);
          resolve();
        };
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    random: () => 0.5,
  };
  /** Sets the clock of the machine forward or back. */
  const setClock = (byMs: number) => {
    nowMs += byMs;
  };
  return { ports, presigns, puts, waits, elapse: pass, setClock, stall: () => stalled() };
}

/** A URL for each request, `https://store/<key>?n=<n>`, which expires 300 s after the start of the fake clock. */
export function givePresigned(expiresAt = '2026-11-21T12:05:00.000Z'): AnswerPresign {
  return (n, { key, contentType, cacheControl }) => ({
    status: 200,
    json: {
      url: `https://store/${key}?n=${n}`,
      method: 'PUT',
      headers: { 'Content-Type': contentType, ...(cacheControl && { 'Cache-Control': cacheControl }) },
      expires_at: expiresAt,
    },
  });
}

export function problem(status: number, code: string, headers: Record<string, string> = {}) {
  return { status, headers, json: { code, detail: 'In words.' } };
}
