import { registerContent } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { describe, expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;

describe.each(['/api/v1/content', '/api/v1/api-keys'])('the name of POST %s', (path) => {
  const nameOf = async (name: string) => {
    const { status, json } = await client.post(path, admin, { name });
    return status === 201 ? (json.content ?? json.api_key).name : status;
  };

  it.each([
    'x',
    'x'.repeat(200),
    'Été à Zürich',
    '日本語',
    '🎬',
    '🎬'.repeat(200),
    "Robert'); DROP TABLE contents;--",
  ])(`POST ${path} accepts the name %s`, async (name) => expect(await nameOf(name)).toBe(name));

  it(`POST ${path} trims a name before it counts its characters`, async () => {
    expect(await nameOf(`  \t${'x'.repeat(200)}\n `)).toBe('x'.repeat(200));
  });

  it.each([
    '',
    ' ',
    '\t\n',
    'x'.repeat(201),
    '🎬'.repeat(201),
    'a\nb',
    'a\u0000b',
    'a\u001fb',
    'a\u007fb',
    'a\u0085b',
  ])(`POST ${path} refuses the name %j`, async (name) => expect(await nameOf(name)).toBe(400));
});

const long = () => unique('l').padEnd(256, '_');

it.each(['0', 'A-z_09', '-', '_', 'LEASES', 'leases2'])(
  'the content id %s may be registered, and has a key',
  async (suffix) => {
    // The id may already exist, from another run on the same server.
    const { status, json } = await client.post('/api/v1/content', admin, { id: suffix, name: 'x' });
    expect([200, 201]).toContain(status);
    expect(json.content.id).toBe(suffix);
    expect((await client.get(`/keys/${suffix}`, admin)).status).toBe(200);
  },
);

it('a content id may have 256 characters', async () => {
  const id = await registerContent(target, long());
  expect((await client.get(`/keys/${id}`, admin)).status).toBe(200);
  expect((await client.get(`/api/v1/content/${id}`, admin)).status).toBe(200);
});

it.each([`${'x'.repeat(257)}`, 'leases', '', 'a/b', 'a b', 'a.b', 'ä', 'a%', 'a\u0000', 'a\n'])(
  'the content id %j is refused everywhere',
  async (id) => {
    const inPath = encodeURIComponent(id);
    expect((await client.post('/api/v1/content', admin, { id, name: 'x' })).status).toBe(400);
    if (id !== '') {
      expect((await client.get(`/api/v1/content/${inPath}`, admin)).code).toBe('CONTENT_NOT_FOUND');
    }
    const lease = await client.post('/keys/leases', admin, { contentId: id, viewerId: 'v' });
    expect(lease.status).toBe(400);
    if (id !== 'leases' && id !== '') expect((await client.get(`/keys/${inPath}`, admin)).status).toBe(400);
  },
);

it('a content that is registered without an id gets a UUID', async () => {
  const { json } = await client.post('/api/v1/content', admin, { name: 'x' });
  expect(json.content.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
