import createClient from 'openapi-fetch';
import type { components, paths } from './client/schema.js';

const [baseUrl = '', apiKey = '', contentId = ''] = process.argv.slice(2);
const { GET, POST, PATCH } = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${apiKey}` },
});

const problems: string[] = [];
/** The answer of a call that succeeded. */
function answerOf<T>({ data, error }: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const created = answerOf(
  await POST('/api/v1/api-keys', { body: { name: 'Walk', scope: 'playback', metadata: { team: 'a' } } }),
);
const id: string = created.api_key.id;
const byId = { params: { path: { id } } };
const scope: components['schemas']['Scope'] = answerOf(await GET('/api/v1/api-keys/{id}', byId)).api_key
  .scope;
const changed: components['schemas']['ApiKey'] = answerOf(
  await PATCH('/api/v1/api-keys/{id}', { ...byId, body: { name: 'Renamed' } }),
).api_key;

const { content } = answerOf(await POST('/api/v1/content', { body: { id: contentId, name: 'Film' } }));
const { lease } = answerOf(await POST('/keys/leases', { body: { contentId: content.id, viewerId: 'ada' } }));
const key = answerOf(
  await GET('/keys/{contentId}', { params: { path: { contentId: content.id } }, parseAs: 'arrayBuffer' }),
);
const { revoked } = answerOf(await POST('/keys/leases/revoke', { body: { leaseId: lease.id } }));

const names: string[] = [];
for (let cursor: string | undefined, page = 0; page < 2; page++) {
  const query = { limit: 1, ...(cursor !== undefined && { cursor }) };
  const list = answerOf(await GET('/api/v1/api-keys', { params: { query } }));
  names.push(...list.api_keys.map(({ name }) => name));
  cursor = list.next_cursor ?? undefined;
}

const { error, response } = await GET('/api/v1/leases/{id}', { params: { path: { id: 'none' } } });
if (error) problems.push(`${response.status} ${error.code}`);
const refused = await PATCH('/api/v1/api-keys/{id}', { ...byId, body: { expiresAt: 'tomorrow' } });
problems.push(`${refused.error?.code} ${refused.error?.errors?.[0]?.path}`);

process.stdout.write(
  JSON.stringify({
    ...{ scope, name: changed.name, metadata: changed.metadata, state: lease.state },
    ...{ keyBytes: Buffer.from(key).toString('hex'), revoked, names, problems },
  }),
);
