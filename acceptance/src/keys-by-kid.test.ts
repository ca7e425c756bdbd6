import { hkdfSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listPendingMigrations } from './pending-migrations.ts';
import {
  createApiKey,
  createLease,
  makeScene,
  oncePropagated,
  registerContent,
  revokeApiKey,
  revokeLeases,
  type Scene,
} from './server-actions.ts';
import { masterKeyHex, openShared, saltHex } from './target.ts';
import { unique, viewerToken } from './tokens.ts';

// docs/contract.md#keys-that-a-packager-names
const target = await openShared('every-route');
const { client, adminApiKey: admin, jwtSecret } = target;
/** Before it, the server knows no periods. */
const isPending = (await listPendingMigrations(target)).includes('0006-key-periods');

const pathOf = (contentId: string, kid: string) => `/keys/${contentId}/kid/${kid}`;

async function outcomeOf(path: string, as?: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, code } = await client.get(path, as, headers);
  return code ? `${status} ${code}` : `${status}`;
}

/** Asks for one key of the scene, always with the same key id. */
const kid = randomUUID();
const ask = ({ contentId, token }: Scene, leaseId?: string) =>
  outcomeOf(pathOf(contentId, kid), token, leaseId ? { 'x-lease-id': leaseId } : {});

describe('200', () => {
  it('the key of a key id is the one that HKDF derives with the info `<content>/kid/<key id>`', async () => {
    const { contentId, token } = await makeScene(target);
    const info = `${contentId}/kid/${kid}`;
    const bytes = [masterKeyHex, saltHex].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer];
    const answer = await client.get(pathOf(contentId, kid), token);
    expect([answer.status, answer.bytes]).toEqual([200, Buffer.from(hkdfSync('sha256', ...bytes, info, 16))]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '16',
      'cache-control': 'no-store',
    });
    const head = await client.call('HEAD', pathOf(contentId, kid), { as: token });
    expect([head.status, head.headers['content-length']]).toEqual([200, '16']);
  });

  it('no two key ids, contents or epochs share a key', async () => {
    const contents = await Promise.all([registerContent(target), registerContent(target)]);
    const paths = contents.flatMap((id) => [
      `/keys/${id}`,
      `/keys/${id}/0`,
      pathOf(id, kid),
      pathOf(id, randomUUID()),
    ]);
    const keys = await Promise.all(
      paths.map(async (path) => (await client.get(path, admin)).bytes.toString('hex')),
    );
    expect(new Set(keys).size).toBe(paths.length);
  });

  it('a content may have the id `kid`, with keys of its own by epoch and by key id', async () => {
    await client.post('/api/v1/content', admin, { id: 'kid', name: 'kid' });
    for (const path of ['/keys/kid', '/keys/kid/5', pathOf('kid', kid)])
      expect(await outcomeOf(path, admin)).toBe('200');
  });
});

describe('the decision is that of every key request', () => {
  it('without a credential the key of a key id gets 401, and with a token for another content 403', async () => {
    const { contentId, viewerId } = await makeScene(target);
    const elsewhere = viewerToken(jwtSecret, viewerId, { content_ids: ['something-else'] });
    expect(await outcomeOf(pathOf(contentId, kid))).toBe('401 UNAUTHENTICATED');
    expect(await outcomeOf(pathOf(contentId, kid), elsewhere)).toBe('403 CONTENT_NOT_ENTITLED');
  });

  it('a content that is not registered has no key of a key id, and a disabled one has none until it is enabled', async () => {
    const scene = await makeScene(target);
    expect(await ask({ ...scene, contentId: unique('none') })).toBe('404 CONTENT_NOT_FOUND');
    expect(await ask(scene)).toBe('200');
    const path = `/api/v1/content/${scene.contentId}`;
    await client.call('DELETE', path, { as: admin });
    await oncePropagated(target, async () => expect(await ask(scene)).toBe('404 CONTENT_NOT_FOUND'));
    await client.call('PATCH', path, { as: admin, json: { status: 'active' } });
    await oncePropagated(target, async () => expect(await ask(scene)).toBe('200'));
  });

  it('a revoked lease gets no key of a key id once the revocation is answered', async () => {
    const scene = await makeScene(target);
    const leaseId = await createLease(target, scene);
    expect(await ask(scene, leaseId)).toBe('200');
    await revokeLeases(target, { leaseId });
    await oncePropagated(target, async () => expect(await ask(scene, leaseId)).toBe('403 LEASE_REVOKED'));
  });

  it.each(['viewerId', 'contentId'] as const)(
    'after a revocation by %s, an older token gets no key of a key id',
    async (selector) => {
      const scene = await makeScene(target);
      expect(await ask(scene)).toBe('200');
      await revokeLeases(target, { [selector]: scene[selector] });
      await oncePropagated(target, async () => expect(await ask(scene)).toBe('403 TOKEN_REVOKED'));
    },
  );

  it('the lease of another viewer opens no key of a key id', async () => {
    const [scene, other] = [await makeScene(target), await makeScene(target)];
    const leaseId = await createLease(target, other);
    expect(await ask(scene, leaseId)).toBe('403 LEASE_UNKNOWN');
  });

  it('an API key that is revoked gets no key of a key id, and one with the scope upload never did', async () => {
    const contentId = await registerContent(target);
    const packager = await createApiKey(target, 'packager');
    const upload = await createApiKey(target, 'upload');
    expect(await outcomeOf(pathOf(contentId, kid), packager.raw)).toBe('200');
    expect(await outcomeOf(pathOf(contentId, kid), upload.raw)).toBe('403 INSUFFICIENT_SCOPE');
    await revokeApiKey(target, packager.id);
    await oncePropagated(target, async () =>
      expect(await outcomeOf(pathOf(contentId, kid), packager.raw)).toBe('401 INVALID_API_KEY'),
    );
  });

  // Else a viewer could have all keys at once, whatever pace the content states.
  it.skipIf(isPending).each([
    { mode: 'sequence', count: 10, periodSeconds: 10 },
    { mode: 'clock', origin: new Date(Date.now() - 60_000).toISOString(), periodSeconds: 10 },
  ])('a content with key periods in $mode has no key of a key id', async (keyPeriods) => {
    const id = unique('content');
    expect((await client.post('/api/v1/content', admin, { id, name: id, keyPeriods })).status).toBe(201);
    for (const as of [admin, viewerToken(jwtSecret, unique('viewer'))])
      expect(await outcomeOf(pathOf(id, kid), as)).toBe('404 EPOCH_NOT_FOUND');
  });

  it('the credential of key info for a content does not open a key of a key id', async () => {
    const contentId = await registerContent(target);
    const info = (await client.get(`/api/v1/content/${contentId}/key-info`, admin)).bytes.toString('utf8');
    const credential = /key_credential=(\S+)/.exec(info)?.[1] ?? '';
    client.credentials.add(credential);
    const opened = (path: string) => outcomeOf(`${path}?key_credential=${credential}`);
    expect(await opened(`/keys/${contentId}`)).toBe('200');
    expect(await opened(pathOf(contentId, kid))).toBe('401 INVALID_TOKEN');
  });
});

describe('400', () => {
  it.each([
    kid.toUpperCase(),
    kid.slice(1),
    `${kid}0`,
    kid.replaceAll('-', ''),
    `{${kid}}`,
    kid.replace(/.$/, 'g'),
    `${kid}\n`,
    '7',
    ' ',
  ])('a key request with the key id %j gets 400', async (wrong) => {
    const path = pathOf(await registerContent(target), encodeURIComponent(wrong));
    expect(await outcomeOf(path, admin)).toBe('400 VALIDATION_FAILED');
  });

  it('`kid` without a key id is no epoch, and `leases` no content', async () => {
    const contentId = await registerContent(target);
    expect(await outcomeOf(`/keys/${contentId}/kid`, admin)).toBe('400 VALIDATION_FAILED');
    expect(await outcomeOf(pathOf('leases', kid), admin)).toBe('400 VALIDATION_FAILED');
  });
});

it('a path below a key id, and another word before it, get 404', async () => {
  const contentId = await registerContent(target);
  expect(await outcomeOf(`${pathOf(contentId, kid)}/1`, admin)).toBe('404 NOT_FOUND');
  expect(await outcomeOf(`/keys/${contentId}/KID/${kid}`, admin)).toBe('404 NOT_FOUND');
});

it('the key of a key id is only read: PUT gets 405', async () => {
  const contentId = await registerContent(target);
  const answer = await client.call('PUT', pathOf(contentId, kid), { as: admin });
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
});
