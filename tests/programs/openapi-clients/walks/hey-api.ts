import { createClient } from './client/client/index.js';
import {
  type ApiKey,
  createApiKey,
  createLease,
  getApiKey,
  getContentKey,
  getLease,
  listApiKeys,
  type Problem,
  registerContent,
  revokeLeases,
  type Scope,
  updateApiKey,
} from './client/index.js';

const [baseUrl = '', auth = '', contentId = ''] = process.argv.slice(2);
const client = createClient({ baseUrl, auth });

const problems: string[] = [];
/** The answer of a call that succeeded. */
function answerOf<T>({ data, error }: { data?: T; error?: Problem }): NonNullable<T> {
  if (data === undefined || data === null) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const created = answerOf(
  await createApiKey({ client, body: { name: 'Walk', scope: 'playback', metadata: { team: 'a' } } }),
);
const path = { id: created.api_key.id };
const scope: Scope = answerOf(await getApiKey({ client, path })).api_key.scope;
const changed: ApiKey = answerOf(await updateApiKey({ client, path, body: { name: 'Renamed' } })).api_key;

const { content } = answerOf(await registerContent({ client, body: { id: contentId, name: 'Film' } }));
const { lease } = answerOf(await createLease({ client, body: { contentId: content.id, viewerId: 'ada' } }));
const key: Blob = answerOf(await getContentKey({ client, path: { contentId: content.id }, parseAs: 'blob' }));
const { revoked } = answerOf(await revokeLeases({ client, body: { leaseId: lease.id } }));

const names: string[] = [];
for (let cursor: string | undefined, page = 0; page < 2; page++) {
  const query = { limit: 1, ...(cursor !== undefined && { cursor }) };
  const list = answerOf(await listApiKeys({ client, query }));
  names.push(...list.api_keys.map(({ name }) => name));
  cursor = list.next_cursor ?? undefined;
}

const { error, response } = await getLease({ client, path: { id: 'none' } });
if (error) problems.push(`${response?.status} ${error.code}`);
const refused = await updateApiKey({ client, path, body: { expiresAt: 'tomorrow' } });
problems.push(`${refused.error?.code} ${refused.error?.errors?.[0]?.path}`);

process.stdout.write(
  JSON.stringify({
    ...{ scope, name: changed.name, metadata: changed.metadata, state: lease.state },
    ...{ keyBytes: Buffer.from(await key.arrayBuffer()).toString('hex'), revoked, names, problems },
  }),
);
