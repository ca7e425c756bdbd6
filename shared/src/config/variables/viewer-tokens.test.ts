import { expect, it } from 'vitest';
import { listFaults } from '../list-faults.fixture.ts';
import { readConfig } from '../read-config.ts';
import type { Environment } from '../source.ts';
import { viewerTokenVariables } from './viewer-tokens.ts';

const secret = { AUTH_JWT_SECRET: 'c2d3e4f5061728394a5b6c7d8e9fa0b1' };
const read = (env: Environment) => readConfig(viewerTokenVariables, env);

const faultsOf = (env: Environment) => listFaults(() => read(env)).map(({ message }) => message);

it('a list of audiences or issuers is read without the white space around its items, and each item once', () => {
  const { values } = read({
    ...secret,
    AUTH_JWT_AUDIENCE: 'web, ios ,web',
    AUTH_JWT_ISSUER: 'https://a.example',
  });
  expect([values.authJwtAudience, values.authJwtIssuer]).toEqual([['web', 'ios'], ['https://a.example']]);
});

it('AUTH_JWT_AUDIENCE_CLAIM without AUTH_JWT_AUDIENCE is refused, because no audience would be checked', () => {
  expect(faultsOf({ ...secret, AUTH_JWT_AUDIENCE_CLAIM: 'client_id' })).toEqual([
    expect.stringContaining('AUTH_JWT_AUDIENCE_CLAIM is set without AUTH_JWT_AUDIENCE'),
  ]);
  expect(faultsOf({ ...secret, AUTH_JWT_AUDIENCE_CLAIM: 'client_id', AUTH_JWT_AUDIENCE: 'web' })).toEqual([]);
  expect(faultsOf({ ...secret, AUTH_JWT_AUDIENCE_CLAIM: 'aud' })).toEqual([]);
});
