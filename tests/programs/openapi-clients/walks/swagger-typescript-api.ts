import { Api, type ApiKey, type HttpResponse, type Problem, type Scope } from './client/api.js';

const [baseUrl = '', apiKey = '', contentId = ''] = process.argv.slice(2);
const { api, keys } = new Api({
  baseUrl,
  baseApiParams: { secure: true, headers: { authorization: `Bearer ${apiKey}` }, format: 'json' },
});

const problems: string[] = [];
/** The refusal of a call: this client throws it. */
async function refusalOf<T>(call: Promise<HttpResponse<T, Problem>>): Promise<HttpResponse<T, Problem>> {
  return call.then(
    () => {
      throw new Error('the call succeeded');
    },
    (refusal: HttpResponse<T, Problem>) => refusal,
  );
}

const { data: created } = await api.createApiKey({
  name: 'Walk',
  scope: 'playback',
  metadata: { team: 'a' },
});
const { id } = created.api_key;
const scope: Scope = (await api.getApiKey(id)).data.api_key.scope;
const changed: ApiKey = (await api.updateApiKey(id, { name: 'Renamed' })).data.api_key;

const { content } = (await api.registerContent({ id: contentId, name: 'Film' })).data;
const { lease } = (await keys.createLease({ contentId: content.id, viewerId: 'ada' })).data;
const key: Blob = (await keys.getContentKey(content.id, { format: 'blob' })).data;
const { revoked } = (await keys.revokeLeases({}, { leaseId: lease.id })).data;

const names: string[] = [];
for (let cursor: string | undefined, page = 0; page < 2; page++) {
  const { data: list } = await api.listApiKeys({ limit: 1, ...(cursor !== undefined && { cursor }) });
  names.push(...list.api_keys.map(({ name }) => name));
  cursor = list.next_cursor ?? undefined;
}

const unknown = await refusalOf(api.getLease('none'));
problems.push(`${unknown.status} ${unknown.error.code}`);
const refused = await refusalOf(api.updateApiKey(id, { expiresAt: 'tomorrow' }));
problems.push(`${refused.error.code} ${refused.error.errors?.[0]?.path}`);

process.stdout.write(
  JSON.stringify({
    ...{ scope, name: changed.name, metadata: changed.metadata, state: lease.state },
    ...{ keyBytes: Buffer.from(await key.arrayBuffer()).toString('hex'), revoked, names, problems },
  }),
);
