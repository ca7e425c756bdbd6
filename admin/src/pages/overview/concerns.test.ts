import { expect, test } from 'vitest';
import type { Concern, ConfigurationWarning } from '../../api/resources.ts';
import { countProblems, linkOfConcern } from './concerns.ts';

const concern = (id: string, severity: Concern['severity'] = 'warning'): Concern => ({
  ...{ id, severity, title: id, advice: '' },
});
const warning = (code: string): ConfigurationWarning => ({
  ...{ code, severity: 'warning', title: code, detail: '', documentation: '' },
});
const refusedCodes = [
  { code: 'LEASE_REVOKED', count: 9 },
  { code: 'INVALID_TOKEN', count: 1 },
];

test('the problem of refused requests leads to the rows of the code that most of them have', () => {
  const facts = { refusedCodes, warnings: [] };
  expect(linkOfConcern(concern('client errors'), facts)).toEqual({
    href: '/refusals?code=LEASE_REVOKED',
    label: 'Show the refusals with LEASE_REVOKED',
  });
});

test('problems are counted at the Overview and at the page that each leads to, urgent ones as urgent', () => {
  const counts = countProblems({
    concerns: [concern('database', 'bad'), concern('client errors'), concern('TRUST_PROXY_ALL')],
    warnings: [warning('TRUST_PROXY_ALL')],
    refusedCodes,
  });
  expect(Object.fromEntries(counts)).toEqual({
    '/': { count: 3, isUrgent: true },
    '/refusals': { count: 1, isUrgent: false },
    '/settings': { count: 1, isUrgent: false },
  });
});
