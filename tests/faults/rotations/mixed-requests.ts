import { randomUUID } from 'node:crypto';
import { judgeSignature } from '@latchkey/support/stores/s3-signature';
import { createManagement, demand } from '../client/management.ts';
import { questionsOfSession } from '../client/revocation-subject.ts';
import type { Credentials } from './credentials.ts';
import { expectedKey } from './judge-keys.ts';
import type { JudgedQuestion } from './judged-load.ts';

/** Each has a token, a lease and a session. More viewers than the connections of any pool. */
const viewers = 50;
export const viewerIds: readonly string[] = Array.from({ length: viewers }, (_, index) => `viewer-${index}`);
const leaseTtlSeconds = 3_600;
export const contentId = 'rotated-film';

/** What is requested, and how often in twenty requests: as players do, with the applications behind them. */
const weights = {
  keyByLease: 6,
  keyByToken: 2,
  keyBySession: 2,
  playlist: 1,
  renewal: 3,
  leaseOfViewer: 1,
  leaseByApiKey: 2,
  presigned: 1,
  adminRead: 2,
};

/**
 * The requests of viewers and applications, each with the judgement of its answer.
 *
 * @param origin a server, which creates the content, the leases and an API key beforehand
 * @param playlistUrl of the content
 * @returns a function that returns the next request
 */
export async function createMixedRequests(
  origin: () => string,
  credentials: Credentials,
  playlistUrl: string,
): Promise<() => JudgedQuestion> {
  const management = createManagement(origin, credentials.adminKey, playlistUrl);
  await demand(management.registerContent(contentId));
  const made = await demand(
    management.call('POST', '/api/v1/api-keys', { name: 'application', scope: 'full' }),
  );
  const players = await Promise.all(
    viewerIds.map(async (viewerId) => {
      const { lease } = await demand(management.createLease(viewerId, contentId));
      const session = await demand(management.createSession(viewerId, contentId));
      return { viewerId, leaseId: lease.id as string, ...questionsOfSession(contentId, session.url) };
    }),
  );
  const kinds = describeKinds(credentials, made.raw_key);
  const order = Object.entries(weights).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => kind as keyof typeof weights),
  );
  let turn = 0;
  return () => {
    const player = players[turn % players.length] as Player;
    // 7 has no common divisor with 20: every kind comes at an even pace, and meets every viewer.
    const kind = order[(turn * 7 + Math.floor(turn / order.length)) % order.length] as keyof typeof weights;
    turn++;
    return { kind, ...kinds[kind](player) };
  };
}

interface Player {
  viewerId: string;
  leaseId: string;
  key: { path: string };
  playlist: { path: string };
}

type Kinds = Readonly<Record<keyof typeof weights, (player: Player) => Omit<JudgedQuestion, 'kind'>>>;

function describeKinds(credentials: Credentials, apiKey: string): Kinds {
  const asViewer = ({ viewerId }: Player) => ({ authorization: `Bearer ${credentials.tokenOf(viewerId)}` });
  const asApplication = { authorization: `Bearer ${apiKey}` };
  const key = expectedKey(contentId);
  const isKey = (body: Buffer) => (body.equals(key) ? null : 'other bytes than those of the key');
  const path = `/keys/${contentId}`;
  return {
    keyByLease: (player) => ({
      question: { path, headers: { ...asViewer(player), 'x-lease-id': player.leaseId } },
      judge: isKey,
    }),
    keyByToken: (player) => ({ question: { path, headers: asViewer(player) }, judge: isKey }),
    keyBySession: (player) => ({ question: player.key, judge: isKey }),
    playlist: (player) => ({
      question: player.playlist,
      judge: (body) => (body.toString().startsWith('#EXTM3U') ? null : 'no playlist'),
    }),
    renewal: (player) => ({
      question: {
        method: 'POST',
        path: '/keys/leases/renew',
        headers: asViewer(player),
        json: { leaseId: player.leaseId },
      },
      judge: (body) => expectField(body, ({ lease }) => lease.id === player.leaseId),
    }),
    leaseOfViewer: (player) => ({
      question: {
        method: 'POST',
        path: '/keys/leases',
        headers: asViewer(player),
        json: { contentId, deviceId: randomUUID(), requestedTtlSeconds: leaseTtlSeconds },
      },
      judge: (body) => expectField(body, ({ lease }) => lease.viewerId === player.viewerId),
    }),
    leaseByApiKey: ({ viewerId }) => ({
      question: {
        method: 'POST',
        path: '/keys/leases',
        headers: asApplication,
        json: { viewerId, contentId, requestedTtlSeconds: leaseTtlSeconds },
      },
      judge: (body) => expectField(body, ({ lease }) => lease.viewerId === viewerId),
    }),
    presigned: ({ viewerId }) => ({
      question: {
        method: 'POST',
        path: '/presign',
        headers: asApplication,
        json: { key: `content/${contentId}/${viewerId}.ts`, contentType: 'video/mp2t' },
      },
      judge: (body) => expectField(body, (upload) => isSigned(upload, credentials)),
    }),
    adminRead: ({ viewerId }) => ({
      question: {
        path: `/api/v1/leases?viewerId=${viewerId}&limit=1`,
        headers: { authorization: `Bearer ${credentials.adminKey}` },
      },
      judge: (body) => expectField(body, ({ leases }) => leases[0].viewerId === viewerId),
    }),
  };
}

/** Whether the store would accept the upload: with one of the pairs of credentials, never with parts of two. */
function isSigned(
  { method, url, headers }: { method: string; url: string; headers: Record<string, string> },
  { buckets }: Credentials,
): boolean {
  const { host, pathname, search } = new URL(url);
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const request = { method, url: pathname + search, headers: { host, ...Object.fromEntries(lower) } };
  return buckets.some((pair) => judgeSignature(request, pair, Date.now()) === null);
}

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape
function expectField(body: Buffer, holds: (json: any) => boolean): string | null {
  try {
    return holds(JSON.parse(body.toString())) ? null : `another answer: ${body.toString().slice(0, 200)}`;
  } catch {
    return `no such answer: ${body.toString().slice(0, 200)}`;
  }
}
