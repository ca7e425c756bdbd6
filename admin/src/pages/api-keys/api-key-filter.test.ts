import { expect, it } from 'vitest';
import { apiKeyFilter, keyCheckPart, toApiKeyQuery } from './api-key-filter.ts';

const { everything, read } = apiKeyFilter;

it('a check asks for keys that never expire, that are unused or that expire soon', () => {
  const queryOf = (address: string) => toApiKeyQuery(read(new URLSearchParams(address)));
  expect(queryOf('filter=never-expires')).toMatchObject({ expires: 'never' });
  expect(queryOf('filter=unused-90-days&q=+film+')).toMatchObject({ unusedDays: 90, q: 'film' });
  expect(queryOf('filter=expiring-14-days')).toMatchObject({ expires: 'within-14-days' });
});

it('clearing a check keeps the chosen status', () => {
  const filter = { ...everything, ...keyCheckPart('never-expires') };
  expect({ ...filter, ...keyCheckPart(null) }).toEqual({ ...everything, status: 'active' });
});
