import { pageKey } from '../page-releases.ts';
import type { AuthReason, KeyServerOptions } from '../player-options.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

const keyServerUrl = 'https://keys.example';
export const keyUrl = (epoch: number, contentId = 'film') => `${keyServerUrl}/keys/${contentId}/${epoch}`;

/** A request that reached the server. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly leaseId: string | null;
  readonly json: Record<string, unknown> | undefined;
  readonly keepalive: boolean;
}

type Answer = (request: SeenRequest) => Response | Promise<Response>;

/** A key server without a network, for one page. It grants leases and sessions for 100 s, and each byte of a key is its epoch. */
export interface FakeKeyServer {
  readonly clock: ManualClock;
  readonly requests: SeenRequest[];
  /** The reasons of the calls for a token. The nth token is `token-n`. */
  readonly asked: AuthReason[];
  readonly options: KeyServerOptions;
  /** Answers every request whose method and path begin with `prefix`, until `restore`. */
  answer(prefix: string, answer: Answer): { restore(): void };
  /** The requests whose method and path begin with `prefix`. */
  to(prefix: string): SeenRequest[];
}

export function createFakeKeyServer(): FakeKeyServer {
  // Each test has a page of its own.
  Reflect.deleteProperty(globalThis, pageKey);
  const clock = createManualClock();
  const requests: SeenRequest[] = [];
  const asked: AuthReason[] = [];
  const answers: [string, Answer][] = [];
  let leases = 0;
  let sessions = 0;
  const begins = ({ method, path }: SeenRequest, prefix: string) => `${method} ${path}`.startsWith(prefix);

  const usual: Answer = (request) => {
    if (begins(request, 'POST /keys/leases/renew')) return grant(String(request.json?.leaseId));
    if (begins(request, 'POST /keys/leases/revoke')) return Response.json({ revoked: 1, leases: [] });
    if (begins(request, 'POST /keys/sessions')) return sessionGrant(`session-${++sessions}`);
    if (begins(request, 'POST /keys/leases')) return grant(`lease-${++leases}`, 201);
    if (begins(request, 'POST /api')) return new Response(null, { status: 204 });
    return new Response(new Uint8Array(16).fill(Number(request.path.split('/').at(-1))));
  };

  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    const request: SeenRequest = {
      method: init.method ?? 'GET',
      path: String(input).slice(keyServerUrl.length),
      token: headers.get('authorization'),
      leaseId: headers.get('x-lease-id'),
      json: init.body === undefined ? undefined : JSON.parse(String(init.body)),
      keepalive: init.keepalive ?? false,
    };
    requests.push(request);
    const [, answer = usual] = answers.findLast(([prefix]) => begins(request, prefix)) ?? [];
    return answer(request);
  };

  return {
    clock,
    requests,
    asked,
    options: {
      keyServerUrl,
      fetch,
      clock,
      random: () => 0,
      keyServerAuth: async ({ reason }) => `token-${asked.push(reason)}`,
    },
    answer(prefix, answer) {
      const entry: [string, Answer] = [prefix, answer];
      answers.push(entry);
      return { restore: () => void answers.splice(answers.indexOf(entry), 1) };
    },
    to: (prefix) => requests.filter((request) => begins(request, prefix)),
  };
}

/** A lease of 100 s, as the server grants it. */
export function grant(id: string, status = 200): Response {
  const lease = { id, viewerId: 'ann', contentId: 'film', deviceId: null, state: 'active' };
  return Response.json({ lease, ttl_seconds: 100, renew_after_seconds: 75 }, { status });
}

/** The URL of a session, as the fake server makes it. */
export const playUrl = (id: string) => `${keyServerUrl}/play/secret-of-${id}/index.m3u8`;

/** A playback session whose lease lives for 100 s. */
export function sessionGrant(id: string): Response {
  const times = { createdAt: '2026-11-21T12:00:00.000Z', expiresAt: '2026-11-21T12:01:40.000Z' };
  const lease = { id, viewerId: 'ann', contentId: 'film', kind: 'session', state: 'active', ...times };
  const session = { id, leaseId: id, viewerId: 'ann', contentId: 'film', ...times, endsAt: times.expiresAt };
  return Response.json({ session, url: playUrl(id), lease }, { status: 201 });
}

export function problem(status: number, code: string, members: object = {}): Response {
  const body = { type: `urn:latchkey:error:${code}`, status, code, detail: `It is ${code}.`, ...members };
  return Response.json(body, { status });
}

/** A problem whose `Retry-After` is this number of seconds. */
export function problemForNow(seconds: number, status: number, code: string, members: object = {}): Response {
  const answer = problem(status, code, members);
  answer.headers.set('Retry-After', String(seconds));
  return answer;
}

/** The failure of `fetch` without a server. */
export const unreachable = () => Promise.reject(new TypeError('Failed to fetch'));
