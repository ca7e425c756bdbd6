import { outcomeOf } from '@latchkey/support/black-box/answer';
import { createApiKey, oncePropagated, registerContent } from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, it } from 'vitest';
import { decode, find, readKeys } from './speke-documents.ts';

// docs/reference/contract.md#packagers
const publicUrl = 'https://keys.example';
const target = await openShared('every-route');
const { client, adminApiKey: admin } = target;
const { raw: as } = await createApiKey(target, 'packager');

const pathOf = (id: string, query = '') => `/api/v1/content/${id}/cpix${query}`;

async function readDocument(id: string, query = ''): Promise<string> {
  const answer = await client.get(pathOf(id, query), as);
  expect([answer.status, answer.type]).toEqual([200, 'application/xml']);
  return answer.bytes.toString('utf8');
}

it('the document of the epochs 0 to 9 has the key of each, its URL, and a key period with its number', async () => {
  const id = await registerContent(target);
  const xml = await readDocument(id, '?epochs=0-9');
  const epochs = Array.from({ length: 10 }, (_, epoch) => epoch);
  const keys = readKeys(client, xml);
  const served = await Promise.all(
    epochs.map(async (epoch) => (await client.get(`/keys/${id}/${epoch}`, admin)).bytes.toString('hex')),
  );
  expect([...keys.values()]).toEqual(served);
  const media = find(xml, 'HLSSignalingData').filter(({ attribute }) => attribute('playlist') === 'media');
  expect(media.map(({ text }) => decode(text))).toEqual(
    epochs.map(
      (epoch) =>
        `#EXT-X-KEY:METHOD=AES-128,URI="${publicUrl}/keys/${id}/${epoch}",KEYFORMAT="identity",KEYFORMATVERSIONS="1"`,
    ),
  );
  expect(find(xml, 'ContentKeyPeriod').map(({ attribute }) => attribute('index'))).toEqual(
    epochs.map(String),
  );
  const kids = [...keys.keys()];
  for (const name of ['ContentKeyUsageRule', 'ContentKey'])
    expect(find(xml, name).map(({ attribute }) => attribute('kid'))).toEqual(kids);
  expect(new Set(kids).size).toBe(10);
  for (const kid of kids)
    expect(kid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(find(xml, 'CPIX').map(({ attribute }) => [attribute('contentId'), attribute('version')])).toEqual([
    [id, '2.3'],
  ]);
});

it('without epochs the document has the one key of the content, and no key period', async () => {
  const id = await registerContent(target);
  const xml = await readDocument(id);
  const key = (await client.get(`/keys/${id}`, admin)).bytes.toString('hex');
  expect([...readKeys(client, xml).values()]).toEqual([key]);
  expect(find(xml, 'ContentKeyPeriod')).toEqual([]);
  expect(decode(find(xml, 'HLSSignalingData')[1]?.text ?? '')).toContain(
    `#EXT-X-SESSION-KEY:METHOD=AES-128,URI="${publicUrl}/keys/${id}"`,
  );
});

it('the same request gets the same document, and an epoch has the same key id in all of them', async () => {
  const id = await registerContent(target);
  const [all, again, one] = [
    await readDocument(id, '?epochs=5-7'),
    await readDocument(id, '?epochs=5-7'),
    await readDocument(id, '?epochs=6'),
  ];
  expect(again).toBe(all);
  const [, second] = readKeys(client, all);
  expect([...readKeys(client, one)]).toEqual([second]);
});

it('64 epochs are answered, up to the last one that there is', async () => {
  const id = await registerContent(target);
  const keys = readKeys(client, await readDocument(id, '?epochs=4294967232-4294967295'));
  expect(new Set(keys.values()).size).toBe(64);
});

it.each(['', 'x', '-1', '1-', '-', '01', '1-02', '9-0', '0-64', '4294967296', '0-9-10', '0,1', '0-9 '])(
  'the epochs %j get 400',
  async (epochs) => {
    const id = await registerContent(target);
    expect(outcomeOf(await client.get(pathOf(id, `?epochs=${encodeURIComponent(epochs)}`), as))).toBe(
      '400 VALIDATION_FAILED',
    );
  },
);

it('a content that is unknown, disabled or of an impossible id has no document', async () => {
  const id = await registerContent(target);
  expect(outcomeOf(await client.get(pathOf(unique('none')), as))).toBe('404 CONTENT_NOT_FOUND');
  expect(outcomeOf(await client.get(pathOf('a.b'), as))).toBe('404 CONTENT_NOT_FOUND');
  await client.call('DELETE', `/api/v1/content/${id}`, { as: admin });
  await oncePropagated(target, async () =>
    expect(outcomeOf(await client.get(pathOf(id), as))).toBe('404 CONTENT_NOT_FOUND'),
  );
});

it('key periods hold: one epoch that is not served refuses the whole document', async () => {
  const id = unique('content');
  const keyPeriods = { mode: 'sequence', count: 3, periodSeconds: 10 };
  await client.post('/api/v1/content', admin, { id, name: id, keyPeriods });
  expect(outcomeOf(await client.get(pathOf(id, '?epochs=0-3'), as))).toBe('404 EPOCH_NOT_FOUND');
  expect(outcomeOf(await client.get(pathOf(id), as))).toBe('404 EPOCH_NOT_FOUND');
  readKeys(client, await readDocument(id, '?epochs=0-2'));
});

it('the API key is also taken as the password of Basic', async () => {
  const authorization = `Basic ${Buffer.from(`packager:${as}`).toString('base64')}`;
  const answer = await client.get(pathOf(await registerContent(target)), undefined, { authorization });
  expect(answer.status).toBe(200);
  readKeys(client, answer.bytes.toString('utf8'));
});

it('the path takes GET alone', async () => {
  const answer = await client.call('POST', pathOf(await registerContent(target)), { as, json: {} });
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
});
