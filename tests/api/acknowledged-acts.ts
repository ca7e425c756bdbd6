import type { Answer } from '@latchkey/support/black-box/answer';
import type { Client } from '@latchkey/support/black-box/client';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';

/** An act that the server answered with a success, and how to check later that it still holds. */
export interface AcknowledgedAct {
  /** The id by which its audit row is found. */
  requestId: string;
  /** Table and id of the row that it created; null if it creates no row. */
  row: { table: 'api_keys' | 'contents' | 'leases'; id: string } | null;
  /** Key requests that the act forbids, and the code that each must get from then on. */
  refusals: { expected: string; ask: (client: Client) => Promise<Answer> }[];
}

/** A request with an `Idempotency-Key`, which may have been answered or not. */
export interface KeyedRequest {
  name: string;
  key: string;
}

export interface WriterOptions {
  client: Client;
  admin: string;
  jwtSecret: Buffer;
  /** A content that no writer changes. */
  contentId: string;
  acknowledge(act: AcknowledgedAct): void;
  /** Called before the request is sent. */
  begin(request: KeyedRequest): void;
}

/** Creates an API key of this name, unless it was created by the same request before. */
export const createOnce = (client: Client, admin: string, { name, key }: KeyedRequest) =>
  client.call('POST', '/api/v1/api-keys', {
    ...{ as: admin, json: { name, scope: 'playback' }, isOneOfMany: true },
    headers: { 'idempotency-key': key },
  });

type Row = NonNullable<AcknowledgedAct['row']>;

/** Sends an act as an admin. @throws Error if it fails, as when the server is gone */
async function act(
  { client, admin, acknowledge }: Pick<WriterOptions, 'client' | 'admin' | 'acknowledge'>,
  method: string,
  path: string,
  json: unknown,
  then: (answer: Answer) => Partial<AcknowledgedAct>,
): Promise<Answer> {
  const answer = await client.call(method, path, { as: admin, json, isOneOfMany: true });
  // Neither yes nor no, from a busy machine: nothing is acknowledged.
  if (answer.status === 503) return act({ client, admin, acknowledge }, method, path, json, then);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status} ${answer.code}`);
  acknowledge({ requestId: answer.requestId, row: null, refusals: [], ...then(answer) });
  return answer;
}

const made = (table: Row['table'], id: string): Partial<AcknowledgedAct> => ({ row: { table, id } });
const refused = (expected: string, path: string, as: string, headers = {}) => ({
  expected,
  ask: (client: Client) => client.call('GET', path, { as, headers, isOneOfMany: true }),
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

/** Creates a lease and revokes it by its id, its viewer, its content, or both. */
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

/** Each writer repeats one of these. No act touches rows of another writer. */
export const writers: readonly ((options: WriterOptions) => Promise<void>)[] = [
  (options) => revokeLease(options, 'leaseId'),
  (options) => revokeLease(options, 'viewerId'),
  (options) => revokeLease(options, 'contentId'),
  (options) => revokeLease(options, 'both'),
  // At the same time, so that they share transactions.
  async (options) => {
    const viewers = Array.from({ length: 16 }, () => unique('viewer'));
    await Promise.all(viewers.map((viewerId) => createLease(options, viewerId, options.contentId)));
  },
  async (options) => {
    const contentId = await registerContent(options);
    await act(options, 'DELETE', `/api/v1/content/${contentId}`, undefined, () => ({
      refusals: [refused('CONTENT_NOT_FOUND', `/keys/${contentId}`, options.admin)],
    }));
  },
  async ({ client, admin, begin }) => {
    const request = { name: unique('keyed'), key: unique('once') };
    begin(request);
    await createOnce(client, admin, request);
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
