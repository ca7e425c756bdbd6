import { randomBytes } from 'node:crypto';
import {
  createApiKey,
  createLease,
  makeScene,
  oncePropagated,
  registerContent,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { derive } from './derive.ts';

// docs/reference/contract.md#keys-that-exist-already
const target = await openShared('every-route');
const { client, adminApiKey: admin, jwtSecret } = target;

const pathOf = (contentId: string, epoch?: number | string) =>
  `/api/v1/content/${contentId}/keys${epoch === undefined ? '' : `/${epoch}`}`;

async function put(path: string, body: Buffer, as: string | undefined = admin) {
  if (body.length === 16) client.credentials.add(body.toString('hex'));
  return client.call('PUT', path, { as, body });
}

async function importKey(contentId: string, epoch?: number): Promise<Buffer> {
  const key = randomBytes(16);
  expect((await put(pathOf(contentId, epoch), key)).status).toBe(204);
  return key;
}

const deriveEpoch = (contentId: string, epoch?: number) =>
  derive(epoch === undefined ? contentId : `${contentId}/${epoch}`);

const keyPath = (contentId: string, epoch?: number) =>
  `/keys/${contentId}${epoch === undefined ? '' : `/${epoch}`}`;
const keyOf = async ({ contentId, token }: Pick<Scene, 'contentId' | 'token'>, epoch?: number) =>
  (await client.get(keyPath(contentId, epoch), token)).bytes;

/** Every replica serves the key. */
const served = (scene: Pick<Scene, 'contentId' | 'token'>, key: Buffer, epoch?: number) =>
  oncePropagated(target, async () => expect(await keyOf(scene, epoch)).toEqual(key));

it('a viewer gets the imported key in place of the derived one, of that epoch alone', async () => {
  const scene = await makeScene(target);
  // Served before: what is kept of it must not be served again.
  expect(await keyOf(scene, 7)).toEqual(deriveEpoch(scene.contentId, 7));
  const [whole, seventh, last] = [
    await importKey(scene.contentId),
    await importKey(scene.contentId, 7),
    await importKey(scene.contentId, 4_294_967_295),
  ];
  await served(scene, whole);
  await served(scene, seventh, 7);
  await served(scene, last, 4_294_967_295);
  await served(scene, deriveEpoch(scene.contentId, 8), 8);
  const kid = '98ee5596-cd3e-a20d-163a-e382420c6eff';
  const byKid = await client.get(`/keys/${scene.contentId}/kid/${kid}`, scene.token);
  expect(byKid.bytes).toEqual(derive(`${scene.contentId}/kid/${kid}`));
});

it('a replaced key is served instead, and a removed one gives way to the derived key', async () => {
  const scene = await makeScene(target);
  await served(scene, await importKey(scene.contentId, 0), 0);
  const second = await importKey(scene.contentId, 0);
  await served(scene, second, 0);
  expect((await put(pathOf(scene.contentId, 0), second)).status).toBe(204);
  await served(scene, second, 0);
  for (const _ of ['a key', 'no key any more'])
    expect((await client.call('DELETE', pathOf(scene.contentId, 0), { as: admin })).status).toBe(204);
  await served(scene, deriveEpoch(scene.contentId, 0), 0);
});

it('packagers and encoders get the imported key too', async () => {
  const scene = await makeScene(target);
  const key = await importKey(scene.contentId, 3);
  await oncePropagated(target, async () => {
    const document = await client.get(`/api/v1/content/${scene.contentId}/cpix?epochs=3`, admin);
    expect(document.bytes.toString('utf8')).toContain(key.toString('base64'));
    const info = await client.get(`/api/v1/content/${scene.contentId}/key-info?epoch=3`, admin);
    const [, url = ''] = info.bytes.toString('utf8').split('\n');
    expect((await client.get(url.replace('https://keys.example', ''))).bytes).toEqual(key);
  });
});

it('every decision about a key holds for an imported one', async () => {
  const scene = await makeScene(target);
  const key = await importKey(scene.contentId);
  await served(scene, key);
  const leaseId = await createLease(target, scene);
  const outcome = async (headers = {}) =>
    (await client.get(keyPath(scene.contentId), scene.token, headers)).code ?? 'served';
  expect(await outcome({ 'x-lease-id': leaseId })).toBe('served');
  await revokeLeases(target, { leaseId });
  await oncePropagated(target, async () => {
    expect(await outcome({ 'x-lease-id': leaseId })).toBe('LEASE_REVOKED');
    expect(await outcome()).toBe('TOKEN_REVOKED');
  });
  const other = viewerToken(jwtSecret, unique('viewer'));
  await served({ ...scene, token: other }, key);
  await client.call('DELETE', `/api/v1/content/${scene.contentId}`, { as: admin });
  await oncePropagated(target, async () =>
    expect((await client.get(keyPath(scene.contentId), other)).code).toBe('CONTENT_NOT_FOUND'),
  );
  // A disabled content can get its keys before it is enabled.
  expect((await put(pathOf(scene.contentId), key)).status).toBe(204);
});

it('what is not a key of 16 octets is refused, whatever its type, and the key stays as it was', async () => {
  const scene = await makeScene(target);
  for (const length of [0, 1, 15, 17, 32, 1_024]) {
    const answer = await put(pathOf(scene.contentId), Buffer.alloc(length));
    expect([answer.status, answer.code], `${length}`).toEqual([400, 'VALIDATION_FAILED']);
    expect(answer.json.errors[0].message).toContain(`has ${length}`);
  }
  expect((await put(pathOf(scene.contentId), Buffer.alloc(100_000))).status).toBe(413);
  const json = await client.call('PUT', pathOf(scene.contentId), {
    as: admin,
    json: { key: '00'.repeat(16) },
  });
  expect([json.status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
  for (const epoch of ['-1', '01', '1.5', '4294967296', 'x']) {
    const answer = await put(pathOf(scene.contentId, epoch), Buffer.alloc(16));
    expect([answer.status, answer.code], epoch).toEqual([400, 'VALIDATION_FAILED']);
  }
  expect(await keyOf(scene)).toEqual(deriveEpoch(scene.contentId));
});

it('a key of a content that is not registered is refused, and so is one by a credential that may not manage', async () => {
  for (const contentId of [unique('unknown'), 'leases', 'a'.repeat(257)]) {
    const answer = await put(pathOf(contentId, 0), Buffer.alloc(16));
    expect([answer.status, answer.code], contentId).toEqual([404, 'CONTENT_NOT_FOUND']);
  }
  const { contentId, token } = await makeScene(target);
  const codeBy = async (as: string | undefined, method = 'PUT') => {
    const body = method === 'GET' ? {} : { body: Buffer.alloc(16, 1) };
    return (await client.call(method, pathOf(contentId), { as, ...body })).code;
  };
  for (const scope of ['packager', 'playback', 'upload']) {
    const { raw, id } = await createApiKey(target, scope);
    for (const method of ['PUT', 'DELETE', 'GET'])
      expect(await codeBy(raw, method), `${scope} ${method}`).toBe('INSUFFICIENT_SCOPE');
    const { json } = await client.get(`/api/v1/audit?actor=${id}`, admin);
    expect(json.audit.map((row: { action: string }) => row.action).sort()).toEqual([
      'content.export-keys',
      'content.import-key',
      'content.remove-key',
    ]);
  }
  expect(await codeBy(token)).toBe('INSUFFICIENT_SCOPE');
  expect(await codeBy(undefined)).toBe('UNAUTHENTICATED');
  expect(await keyOf({ contentId, token })).toEqual(deriveEpoch(contentId));
});

it('the other methods of the paths get 405', async () => {
  const contentId = await registerContent(target);
  const allowed = async (method: string, path: string) => {
    const answer = await client.call(method, path, { as: admin, json: {} });
    expect([answer.status, answer.code], `${method} ${path}`).toEqual([405, 'METHOD_NOT_ALLOWED']);
    return answer.headers.allow?.split(', ').sort().join(', ');
  };
  for (const method of ['POST', 'PATCH']) {
    expect(await allowed(method, pathOf(contentId))).toBe('DELETE, GET, HEAD, PUT');
    expect(await allowed(method, pathOf(contentId, 0))).toBe('DELETE, PUT');
  }
});

it('a manager exports the keys of a range, or all imported ones, and the audit says so', async () => {
  const contentId = await registerContent(target);
  const [whole, ninth] = [await importKey(contentId), await importKey(contentId, 9)];
  await importKey(contentId, 40);
  const keyOfRow = (epoch: number | null, key: Buffer, source: string) => ({
    epoch,
    key: key.toString('hex'),
    source,
  });
  const ask = (query: string, as = admin) => client.get(`${pathOf(contentId)}${query}`, as);
  const range = await ask('?epochs=8-9');
  expect([range.status, range.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(range.json).toEqual({
    contentId,
    keys: [keyOfRow(8, deriveEpoch(contentId, 8), 'derived'), keyOfRow(9, ninth, 'imported')],
    next: null,
  });
  const { json: all } = await ask('');
  expect(all.keys.map(({ epoch, source }: { epoch: number; source: string }) => [epoch, source])).toEqual([
    [null, 'imported'],
    [9, 'imported'],
    [40, 'imported'],
  ]);
  expect(all.keys[0].key).toBe(whole.toString('hex'));
  expect((await ask('?from=10')).json.keys.map(({ epoch }: { epoch: number }) => epoch)).toEqual([40]);
  const { json: plain } = await client.get(pathOf(await registerContent(target)), admin);
  expect(plain.keys).toEqual([keyOfRow(null, deriveEpoch(plain.contentId), 'derived')]);
  for (const query of [
    '?epochs=9-8',
    '?epochs=0-1000',
    '?epochs=x',
    '?epochs=4294967296',
    '?from=-1',
    '?x=1',
  ])
    expect((await ask(query)).code, query).toBe('VALIDATION_FAILED');
  const { json: audit } = await client.get(
    `/api/v1/audit?action=content.export-keys&outcome=done&target=${contentId}`,
    admin,
  );
  expect(audit.audit.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['done', 'done', 'done']);
  // It manages API keys, so it could make an admin key and export with that.
  const { raw } = await createApiKey(target, 'full');
  expect((await ask('', raw)).json).toEqual(all);
});
