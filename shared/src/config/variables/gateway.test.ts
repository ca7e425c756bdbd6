import { expect, test } from 'vitest';
import { listFaults } from '../list-faults.fixture.ts';
import { readConfig } from '../read-config.ts';
import type { Environment } from '../source.ts';
import { gatewayVariables } from './gateway.ts';

const read = (env: Environment) => readConfig(gatewayVariables, env);
const signOn = {
  DASHBOARD_USER_HEADER: 'X-Auth-Request-Email',
  DASHBOARD_USER_SECRET: '5f'.repeat(20),
  TRUST_PROXY: 'loopback',
};

test('the header of persons is read in lower case, as requests have it', () => {
  expect(read(signOn).values.dashboardUserHeader).toBe('x-auth-request-email');
});

test.each([
  ['without a secret', { DASHBOARD_USER_SECRET: undefined }, 'DASHBOARD_USER_SECRET'],
  ['without a proxy', { TRUST_PROXY: undefined }, 'TRUST_PROXY'],
  ['with a number of hops, which names no proxy', { TRUST_PROXY: '1' }, 'TRUST_PROXY'],
  ['that the server reads itself', { DASHBOARD_USER_HEADER: 'Authorization' }, 'DASHBOARD_USER_HEADER'],
  ['that is no header', { DASHBOARD_USER_HEADER: 'Remote User' }, 'DASHBOARD_USER_HEADER'],
])('a header of persons %s is refused', (_, changed, variable) => {
  const faults = listFaults(() => read({ ...signOn, ...changed }));
  expect(faults.map((fault) => fault.variable)).toEqual([variable]);
});
