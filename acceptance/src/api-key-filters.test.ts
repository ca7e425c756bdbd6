import { expect, it } from 'vitest';
import { createApiKey, revokeApiKey } from './server-actions.ts';
import { openTarget } from './target.ts';
import { unique } from './tokens.ts';

const target = await openTarget();
const { client, adminApiKey } = target;

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const word = unique('workshop');
const soon = await createApiKey(target, 'upload', { name: `${word} soon`, expiresAt: inDays(13) });
const later = await createApiKey(target, 'full', { name: `${word} later`, expiresAt: inDays(15) });
const never = await createApiKey(target, 'admin', { name: `${word.toUpperCase()} never` });
const revoked = await createApiKey(target, 'full', { name: `${word} revoked` });
await revokeApiKey(target, revoked.id);

const ids = async (query: string) => {
  const { json } = await client.get(`/api/v1/api-keys?q=${word}&${query}`, adminApiKey);
  return json.api_keys.map(({ id }: { id: string }) => id);
};

it.each([
  ['limit=500', [revoked, never, later, soon]],
  ['status=active', [never, later, soon]],
  ['status=revoked', [revoked]],
  ['status=expired', []],
  ['scope=admin', [never]],
  ['expires=never', [revoked, never]],
  ['expires=never&status=active', [never]],
  ['expires=within-14-days', [soon]],
  ['unusedDays=1', []],
])('API keys are found by a part of their name and %s', async (query, keys) => {
  expect(await ids(query)).toEqual(keys.map(({ id }) => id));
});

it('API keys are found by the beginning of the raw key', async () => {
  const { json } = await client.get(`/api/v1/api-keys?q=${soon.raw.slice(0, 11)}`, adminApiKey);
  expect(json.api_keys.map(({ id }: { id: string }) => id)).toContain(soon.id);
});

it.each(['status=gone', 'scope=root', 'expires=soon', 'unusedDays=0', 'unusedDays=1.5', 'q=%00', 'offset=1'])(
  'the list of API keys refuses the filter %s',
  async (query) => {
    expect((await client.get(`/api/v1/api-keys?${query}`, adminApiKey)).code).toBe('VALIDATION_FAILED');
  },
);
