import { expect, it } from 'vitest';
import {
  type ApiKeyFilter,
  isNarrowed,
  readFilter,
  toApiKeyQuery,
  withConcern,
  writeFilter,
} from './api-key-filter.ts';

const everything: ApiKeyFilter = { q: '', status: null, scope: null, concern: null };

it('goes into the address and comes back from it', () => {
  const filter: ApiKeyFilter = { q: 'a & b', status: 'revoked', scope: 'admin', concern: 'never-expires' };
  expect(readFilter(new URLSearchParams(writeFilter(filter).toString()))).toEqual(filter);
  expect(writeFilter(everything).toString()).toBe('');
});

it('takes what it does not know for absent', () => {
  expect(readFilter(new URLSearchParams('status=odd&scope=root&filter=x&y=1'))).toEqual(everything);
});

it.each([
  ['never-expires', { expires: 'never' }],
  ['expiring-14-days', { expires: 'within-14-days' }],
  ['unused-90-days', { unusedDays: 90 }],
] as const)('asks the server for %s among the keys that work', (concern, asked) => {
  expect(toApiKeyQuery(withConcern(everything, concern))).toMatchObject({ ...asked, status: 'active' });
});

it('asks for nothing that is blank', () => {
  expect(toApiKeyQuery({ ...everything, q: '  ' }).q).toBeUndefined();
  expect([isNarrowed(everything), isNarrowed({ ...everything, scope: 'full' })]).toEqual([false, true]);
});
