import { Refusal } from './refusal.ts';

/** A viewer who watches now. */
interface Playback {
  readonly leaseId: string;
  readonly viewerId: string;
  readonly contentId: string;
  /** ISO 8601. */
  readonly since: string;
}

/** The operations of the application's administrators at the key server. */
export interface KeyServer {
  /** Makes a content known: it has keys then, and its files may be uploaded. A known content gets the new name. */
  register(contentId: string, name: string): Promise<void>;
  /** The newest 100 playbacks. */
  listPlaybacks(): Promise<Playback[]>;
  /** Ends a playback: its player gets no further key. */
  revoke(leaseId: string): Promise<void>;
}

/** The key server answers in milliseconds. The rest is for one that is being replaced. */
const timeoutMs = 10_000;

/** @param apiKey of scope `full`. It stays on this server: never send it to a browser */
export function createKeyServer(url: string, apiKey: string): KeyServer {
  async function call(path: string, body?: object) {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => {
      throw new Refusal(502, 'KEY_SERVER_AWAY', 'The key server does not answer.');
    });
    // biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer of the route that it calls.
    const answer: any = await response.json();
    if (response.ok) return answer;
    throw new Refusal(502, 'KEY_SERVER_REFUSES', `The key server refuses: ${answer.detail} (${answer.code})`);
  }

  return {
    register: (id, name) => call('/api/v1/content', { id, name }),
    async listPlaybacks() {
      const { leases } = await call('/api/v1/leases?state=active&limit=100');
      return leases.map(({ id, viewerId, contentId, createdAt }: Record<string, string>) => {
        return { leaseId: id, viewerId, contentId, since: createdAt };
      });
    },
    revoke: (leaseId) => call('/keys/leases/revoke', { leaseId, reason: 'ended by an administrator' }),
  };
}
