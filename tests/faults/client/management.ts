import { randomUUID } from 'node:crypto';
import { type Answer, ask } from './send-request.ts';

/** A change that the server answered with a success. */
export interface Acknowledged {
  /** The id by which its audit row is found. */
  requestId: string;
  /** The row that it created; null if it creates no row. */
  row: { table: 'api_keys' | 'contents' | 'leases'; id: string } | null;
}

/** The calls that an application's backend makes at the gateway, with the admin key. */
export interface Management {
  call(method: string, path: string, json?: unknown, rowOf?: RowOf): Promise<Answer>;
  registerContent(contentId: string): Promise<Answer>;
  createLease(viewerId: string, contentId: string): Promise<Answer>;
  createSession(viewerId: string, contentId: string): Promise<Answer>;
  acknowledged: Acknowledged[];
}

type RowOf = (answer: Answer) => Acknowledged['row'];

/** The longest life that the server allows by default, so no lease expires during the run. */
const leaseTtlSeconds = 3_600;

/**
 * @param origin returns the gateway for the next request
 * @param playlistUrl of every content; without one there are no sessions
 */
export function createManagement(origin: () => string, adminKey: string, playlistUrl?: string): Management {
  const acknowledged: Acknowledged[] = [];

  async function call(
    method: string,
    path: string,
    json?: unknown,
    rowOf: RowOf = () => null,
  ): Promise<Answer> {
    const requestId = randomUUID();
    const headers = { authorization: `Bearer ${adminKey}`, 'x-request-id': requestId };
    const answer = await ask(origin(), { method, path, headers, json });
    const isDone = answer.status >= 200 && answer.status < 300;
    // A read changes nothing, so it leaves no audit row.
    if (isDone && method !== 'GET') acknowledged.push({ requestId, row: rowOf(answer) });
    return answer;
  }

  return {
    call,
    registerContent: (contentId) =>
      call(
        'POST',
        '/api/v1/content',
        { id: contentId, name: contentId, ...(playlistUrl ? { playlistUrl } : {}) },
        () => ({ table: 'contents', id: contentId }),
      ),
    createLease: (viewerId, contentId) =>
      call(
        'POST',
        '/keys/leases',
        { viewerId, contentId, requestedTtlSeconds: leaseTtlSeconds },
        ({ json: body }) => ({ table: 'leases', id: body.lease.id }),
      ),
    createSession: (viewerId, contentId) =>
      call(
        'POST',
        '/keys/sessions',
        { viewerId, contentId, ttlSeconds: leaseTtlSeconds },
        ({ json: body }) => ({
          table: 'leases',
          id: body.lease.id,
        }),
      ),
    acknowledged,
  };
}

/**
 * The JSON of an answer that must be a success.
 *
 * @throws Error if it is not one
 */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape
export async function demand(answer: Promise<Answer>): Promise<any> {
  const { status, code, json } = await answer;
  if (status < 200 || status >= 300)
    throw new Error(`a request that must succeed was answered ${status} ${code}`);
  return json;
}
