import { findLine, type RequestLine, readLines } from '../black-box/request-lines.ts';
import type { WatchedServer } from '../black-box/target.ts';

/** One line of the server's log: a key request of a player. */
export type KeyRequest = RequestLine & { status: number; code: string | null };

/**
 * Every answered key request for a content, in order, without preflights and without requests by API keys, which the
 * encryption makes.
 */
export async function readKeyRequests(server: WatchedServer, contentId: string): Promise<KeyRequest[]> {
  await reachLog(server);
  const isKey = ({ method, path, principal }: RequestLine) =>
    method === 'GET' &&
    (path.split('?')[0] === `/keys/${contentId}` || path.startsWith(`/keys/${contentId}/`)) &&
    principal?.kind !== 'api-key';
  return readLines(server.process).filter(isKey) as KeyRequest[];
}

/** Waits until the log has every answered request: a line is written after its answer, so one more request comes last. */
async function reachLog(server: WatchedServer): Promise<void> {
  const { requestId } = await server.client.get('/health');
  await findLine(server.process, requestId);
}

/** The distinct answers, such as `200` and `403 LEASE_REVOKED`. */
export function answersOf(requests: readonly KeyRequest[]): string[] {
  return [...new Set(requests.map(({ status, code }) => (code ? `${status} ${code}` : `${status}`)))];
}

/** The distinct paths that were answered with a key, sorted. */
export function servedPaths(requests: readonly KeyRequest[]): string[] {
  return [...new Set(requests.filter(({ status }) => status === 200).map(({ path }) => path))].sort();
}
