import { expect, it } from 'vitest';
import {
  type ApiKeyFilter,
  everyKey,
  isNarrowed,
  keyCheckPart,
  readFilter,
  toApiKeyQuery,
  writeFilter,
} from './api-key-filter.ts';

it('a filter is written to the address and read back', () => {
  const filter: ApiKeyFilter = {
    q: 'a & b',
    status: 'revoked',
    scope: 'admin',
    check: 'never-expires',
    sort: 'expiresAt',
  };
  expect(readFilter(new URLSearchParams(writeFilter(filter).toString()))).toEqual(filter);
  expect(writeFilter(everyKey).toString()).toBe('');
});

it('unknown values in an address are ignored', () => {
  expect(readFilter(new URLSearchParams('status=odd&scope=root&filter=x&y=1'))).toEqual(everyKey);
});

it.each([
  ['never-expires', { expires: 'never' }],
  ['expiring-14-days', { expires: 'within-14-days' }],
  ['unused-90-days', { unusedDays: 90 }],
] as const)('the check %s asks the server for active keys only', (check, query) => {
  expect(toApiKeyQuery({ ...everyKey, ...keyCheckPart(check) })).toMatchObject({
    ...query,
    status: 'active',
  });
});

it('clearing a check keeps the chosen status', () => {
  const filter: ApiKeyFilter = { ...everyKey, check: 'never-expires', status: 'active' };
  expect({ ...filter, ...keyCheckPart(null) }).toEqual({ ...everyKey, status: 'active' });
});

it('blank fields are not sent to the server', () => {
  expect(toApiKeyQuery({ ...everyKey, q: '  ' }).q).toBeUndefined();
  expect([isNarrowed(everyKey), isNarrowed({ ...everyKey, scope: 'full' })]).toEqual([false, true]);
});
