import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import { unique, viewerToken } from './tokens.ts';

/** An act whose success the server has told, and how to see later that it holds. */
export interface AcknowledgedAct {
  /** Its audit row is found by this. */
  requestId: string;
  /** Table and id of the row that it made; null for an act that makes none. */
  row: { table: 'api_keys' | 'contents' | 'leases'; id: string } | null;
  /** Requests for a key that the act took away, and the code that each is answered with from then on. */
  refusals: { expected: string; ask: (client: Client) => Promise<Answer> }[];
}

export interface WriterOptions {
  client: Client;
  admin: string;
  jwtSecret: Buffer;
  /** A content that no writer changes. */
  contentId: string;
  acknowledge(act: AcknowledgedAct): void;
}

type Row = NonNullable<AcknowledgedAct['row']>;

/** Sends an act of the management; one that fails is no fault here, as the server may be gone. */
async function act(
  { client, admin, acknowledge }: WriterOptions,
  method: string,
  path: string,
  json: unknown,
  then: (answer: Answer) => Partial<AcknowledgedAct>,
): Promise<Answer> {
  const answer = await client.call(method, path, { as: admin, json });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status} ${answer.code}`);
  acknowledge({ requestId: answer.requestId, row: null, refusals: [], ...then(answer) });
  return answer;
}

const made = (table: Row['table'], id: string): Partial<AcknowledgedAct> => ({ row: { table, id } });
const refused = (expected: string, path: string, as: string, headers = {}) => ({
  expected,
  ask: (client: Client) => client.get(path, as, headers),
});

async function registerContent(options: WriterOptions): Promise<string> {
  const id = unique('content');
  await act(options, 'POST', '/api/v1/content', { id, name: id }, () => made('contents', id));
  return id;
}

async function createLease(options: WriterOptions, viewerId: string, contentId: string): Promise<string> {
  const { json } = await act(options, 'POST', '/keys/leases', { viewerId, contentId }, (answer) =>
    made('leases', answer.json.lease.id),
  );
  return json.lease.id;
}

/** A lease and its revocation: by itself, by its viewer, by its content, or by both. */
async function revokeLease(
  options: WriterOptions,
  by: 'leaseId' | 'viewerId' | 'contentId' | 'both',
): Promise<void> {
  const viewerId = unique('viewer');
  const contentId = by === 'contentId' ? await registerContent(options) : options.contentId;
  const leaseId = await createLease(options, viewerId, contentId);
  const selector = {
    leaseId: { leaseId },
    viewerId: { viewerId },
    contentId: { contentId },
    both: { viewerId, contentId },
  }[by];
  const token = viewerToken(options.jwtSecret, viewerId);
  const path = `/keys/${contentId}`;
  await act(options, 'POST', '/keys/leases/revoke', selector, () => ({
    refusals: [
      refused('LEASE_REVOKED', path, token, { 'x-lease-id': leaseId }),
      refused('TOKEN_REVOKED', path, token),
    ],
  }));
}

/** What each writer does, again and again. Nobody's act touches what another writer made. */
export const writers: readonly ((options: WriterOptions) => Promise<void>)[] = [
  (options) => revokeLease(options, 'leaseId'),
  (options) => revokeLease(options, 'viewerId'),
  (options) => revokeLease(options, 'contentId'),
  (options) => revokeLease(options, 'both'),
  async (options) => {
    const contentId = await registerContent(options);
    await act(options, 'DELETE', `/api/v1/content/${contentId}`, undefined, () => ({
      refusals: [refused('CONTENT_NOT_FOUND', `/keys/${contentId}`, options.admin)],
    }));
  },
  async (options) => {
    const name = unique('key');
    const { json } = await act(options, 'POST', '/api/v1/api-keys', { name, scope: 'playback' }, (answer) =>
      made('api_keys', answer.json.api_key.id),
    );
    await act(options, 'DELETE', `/api/v1/api-keys/${json.api_key.id}`, undefined, () => ({
      refusals: [refused('INVALID_API_KEY', `/keys/${options.contentId}`, json.raw_key)],
    }));
  },
];
