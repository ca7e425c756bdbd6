import { expect, it } from 'vitest';
import {
  type ApiKeyFilter,
  isNarrowed,
  readFilter,
  toApiKeyQuery,
  withKeyCheck,
  writeFilter,
} from './api-key-filter.ts';

const everything: ApiKeyFilter = { q: '', status: null, scope: null, check: null };

it('a filter is written to the address and read back', () => {
  const filter: ApiKeyFilter = { q: 'a & b', status: 'revoked', scope: 'admin', check: 'never-expires' };
  expect(readFilter(new URLSearchParams(writeFilter(filter).toString()))).toEqual(filter);
  expect(writeFilter(everything).toString()).toBe('');
});

it('unknown values in an address are ignored', () => {
  expect(readFilter(new URLSearchParams('status=odd&scope=root&filter=x&y=1'))).toEqual(everything);
});

it.each([
  ['never-expires', { expires: 'never' }],
  ['expiring-14-days', { expires: 'within-14-days' }],
  ['unused-90-days', { unusedDays: 90 }],
] as const)('asks the server for %s among the keys that work', (check, query) => {
  expect(toApiKeyQuery(withKeyCheck(everything, check))).toMatchObject({ ...query, status: 'active' });
});

it('blank fields are not sent to the server', () => {
  expect(toApiKeyQuery({ ...everything, q: '  ' }).q).toBeUndefined();
  expect([isNarrowed(everything), isNarrowed({ ...everything, scope: 'full' })]).toEqual([false, true]);
});
