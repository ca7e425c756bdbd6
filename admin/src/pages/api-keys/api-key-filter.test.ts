import { expect, it } from 'vitest';
import {
  type ApiKeyFilter,
  everyKey,
  isNarrowed,
  keyCheckPart,
  readFilter,
  toApiKeyQuery,
} from './api-key-filter.ts';

it('unknown values in an address are ignored', () => {
  expect(readFilter(new URLSearchParams('status=odd&scope=root&filter=x&y=1'))).toEqual(everyKey);
});

it('clearing a check keeps the chosen status', () => {
  const filter: ApiKeyFilter = { ...everyKey, check: 'never-expires', status: 'active' };
  expect({ ...filter, ...keyCheckPart(null) }).toEqual({ ...everyKey, status: 'active' });
});

it('a blank search is sent to the server as an empty one, and does not narrow the list', () => {
  expect(toApiKeyQuery({ ...everyKey, q: '  ' }).q).toBe('');
  expect([isNarrowed(everyKey), isNarrowed({ ...everyKey, scope: 'full' })]).toEqual([false, true]);
});
