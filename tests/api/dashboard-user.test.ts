import { readAudit } from '@latchkey/support/black-box/server-actions';
import { areContainers, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, it } from 'vitest';

const secret = unique('proxy').padEnd(40, '.');
// No other test needs these settings. Containers see the tests at the address of a bridge.
const server = await startServer({
  TRUST_PROXY: areContainers ? 'uniquelocal' : 'loopback',
  DASHBOARD_USER_HEADER: 'X-Auth-Request-Email',
  DASHBOARD_USER_SECRET: secret,
});
const { client, adminApiKey: admin } = server;

/** Registers a content. @returns the person in its record of the audit */
async function personOf(headers: Record<string, string>): Promise<string | null> {
  const id = unique('film');
  const answer = await client.call('POST', '/api/v1/content', { as: admin, json: { id, name: id }, headers });
  expect(answer.status).toBe(201);
  const [record] = await readAudit(server, { target: id });
  expect(record.actor.kind).toBe('bootstrap-key');
  return record.person;
}

it('the audit names the person whom the proxy signed on, next to the API key', async () => {
  const person = 'ann@example.com';
  expect(await personOf({ 'x-auth-request-email': person, 'x-latchkey-proxy-secret': secret })).toBe(person);
});

it.each<[string, Record<string, string>]>([
  ['without the secret', {}],
  ['with another secret', { 'x-latchkey-proxy-secret': `${secret}x` }],
  ['with the name that services pass on', { 'x-latchkey-person': 'eve' }],
])('a name %s is not recorded', async (_, headers) => {
  expect(await personOf({ 'x-auth-request-email': 'eve', ...headers })).toBeNull();
});

it('a refused act of a person without an API key is recorded with the person, and stays refused', async () => {
  const person = `${unique('bob')}@example.com`;
  const headers = { 'x-auth-request-email': person, 'x-latchkey-proxy-secret': secret };
  const { status } = await client.call('DELETE', `/api/v1/api-keys/${crypto.randomUUID()}`, { headers });
  expect(status).toBe(401);
  await expect
    .poll(async () => (await readAudit(server, { action: 'api-key.revoke' })).map((record) => record.person))
    .toContain(person);
});

it('a key that is imported through another service is recorded with the person', async () => {
  const id = unique('film');
  await client.post('/api/v1/content', admin, { id, name: id });
  const headers = { 'x-auth-request-email': 'zoe', 'x-latchkey-proxy-secret': secret };
  const body = 'sixteen octets..';
  await client.call('PUT', `/api/v1/content/${id}/keys`, { as: admin, headers, body });
  const records = await readAudit(server, { action: 'content.import-key', target: id });
  expect(records.map(({ person }) => person)).toEqual(['zoe']);
});
