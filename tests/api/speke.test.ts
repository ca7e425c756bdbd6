import { randomUUID } from 'node:crypto';
import { createApiKey, oncePropagated, registerContent } from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, it } from 'vitest';
import {
  askBySpeke1,
  askBySpeke2,
  decode,
  find,
  readKeys,
  ruleFor,
  speke1Document,
  spekeDocument,
  systems,
} from './speke-documents.ts';

// docs/reference/contract.md#packagers
const publicUrl = 'https://keys.example/base';
const target = await openShared('base-path');
const { client, adminApiKey: admin } = target;
const packager = await createApiKey(target, 'packager');
const as = packager.raw;

const keyOf = async (contentId: string, kid: string) =>
  (await client.get(`/keys/${contentId}/kid/${kid}`, admin)).bytes.toString('hex');

async function askOk(body: string, version = '2.0'): Promise<string> {
  const answer = await askBySpeke2(client, body, { as, version });
  expect([answer.status, answer.code]).toEqual([200, undefined]);
  return answer.bytes.toString('utf8');
}

it('each key of the answer is the one that players get at the URL of its signaling, in the clear and in base64', async () => {
  const contentId = await registerContent(target);
  const kids = [randomUUID(), randomUUID()];
  const xml = await askOk(spekeDocument({ contentId, kids }));
  const keys = readKeys(client, xml);
  expect([...keys.keys()]).toEqual(kids);
  for (const kid of kids) expect(keys.get(kid)).toBe(await keyOf(contentId, kid));
  const lines = find(xml, 'HLSSignalingData').map(({ text, attribute }) => [
    attribute('playlist'),
    decode(text),
  ]);
  expect(lines).toEqual(
    kids.flatMap((kid) => {
      const attributes = `METHOD=AES-128,URI="${publicUrl}/keys/${contentId}/kid/${kid}",KEYFORMAT="identity",KEYFORMATVERSIONS="1"`;
      return [
        ['media', `#EXT-X-KEY:${attributes}`],
        ['master', `#EXT-X-SESSION-KEY:${attributes}`],
      ];
    }),
  );
});

it('the answer is XML that names the server and echoes the version of SPEKE', async () => {
  const contentId = await registerContent(target);
  const answer = await askBySpeke2(client, spekeDocument({ contentId, kids: [randomUUID()] }), { as });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/xml; charset=utf-8',
    'x-speke-version': '2.0',
    'x-speke-user-agent': 'Latchkey',
    'cache-control': 'no-store',
  });
  readKeys(client, answer.bytes.toString('utf8'));
  expect(answer.bytes.toString('utf8')).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<cpix:CPIX .*<pskc:PlainValue>/s,
  );
});

it('the same request gets the same answer, byte by byte', async () => {
  const body = spekeDocument({
    contentId: await registerContent(target),
    kids: [randomUUID(), randomUUID()],
  });
  const [first, second] = [await askOk(body), await askOk(body)];
  readKeys(client, first);
  expect(second).toBe(first);
});

it('each key gets an IV of 16 bytes of its own, unless the packager states one', async () => {
  const contentId = await registerContent(target);
  const kids = [randomUUID(), randomUUID()];
  const own = await askOk(spekeDocument({ contentId, kids }));
  readKeys(client, own);
  const ivs = find(own, 'ContentKey').map(({ attribute }) => attribute('explicitIV') ?? '');
  for (const iv of ivs) expect(Buffer.from(iv, 'base64')).toHaveLength(16);
  expect(new Set(ivs).size).toBe(2);
  const stated = 'OFj2IjCsPJFfMAxmQxLGPw==';
  const key = `commonEncryptionScheme="cbc1" explicitIV="${stated}"`;
  const kept = await askOk(spekeDocument({ contentId, kids, key }));
  expect(find(kept, 'ContentKey').map(({ attribute }) => attribute('explicitIV'))).toEqual([stated, stated]);
});

it('key periods, usage rules, attributes and comments come back as they were sent, for a channel that changes its key', async () => {
  const contentId = await registerContent(target);
  const kids = [randomUUID(), randomUUID()];
  const periods =
    '<cpix:ContentKeyPeriodList id="list"><cpix:ContentKeyPeriod id="keyPeriod_a" index="7"/><cpix:ContentKeyPeriod id="keyPeriod_b" index="8"/></cpix:ContentKeyPeriodList>';
  const rules = kids.map((kid, index) => ruleFor(kid, 'VIDEO', `keyPeriod_${'ab'[index]}`)).join('');
  const xml = await askOk(
    spekeDocument({ contentId, kids, periods, rules: `<!-- the contract -->${rules}` }),
  );
  readKeys(client, xml);
  expect(xml).toContain(periods);
  expect(xml).toContain('<!-- the contract -->');
  const after = find(xml, 'ContentKeyUsageRule').map(({ attribute }) => [
    attribute('kid'),
    attribute('intendedTrackType'),
  ]);
  expect(after).toEqual(kids.map((kid) => [kid, 'VIDEO']));
  expect(find(xml, 'KeyPeriodFilter').map(({ attribute }) => attribute('periodId'))).toEqual([
    'keyPeriod_a',
    'keyPeriod_b',
  ]);
  expect(find(xml, 'CPIX')[0]?.attribute('contentId')).toBe(contentId);
});

it('SPEKE 2.1 with CPIX 2.4 has a line for `multiVariant`, and the times of its periods come back', async () => {
  const contentId = await registerContent(target);
  const kid = randomUUID();
  const root = `contentId="${contentId}" version="2.4"`;
  const period =
    '<cpix:ContentKeyPeriodList><cpix:ContentKeyPeriod id="p1" index="1" start="2026-01-01T00:00:00Z" end="2026-01-01T00:01:00Z"/></cpix:ContentKeyPeriodList>';
  const signaling = ['media', 'multiVariant']
    .map((kind) => `<cpix:HLSSignalingData playlist="${kind}"/>`)
    .join('');
  const rules = ruleFor(kid, 'ALL', 'p1');
  const xml = await askOk(
    spekeDocument({ contentId, kids: [kid], root, signaling, periods: period, rules }),
    '2.1',
  );
  readKeys(client, xml);
  expect(xml).toContain(period);
  const lines = find(xml, 'HLSSignalingData').map(({ text, attribute }) => [
    attribute('playlist'),
    decode(text).split(':')[0],
  ]);
  expect(lines).toEqual([
    ['media', '#EXT-X-KEY'],
    ['multiVariant', '#EXT-X-SESSION-KEY'],
  ]);
});

it('a document without a place for the lines gets both, and one with a single place gets the other', async () => {
  const contentId = await registerContent(target);
  for (const signaling of ['', '<cpix:HLSSignalingData playlist="master"/>']) {
    const xml = await askOk(spekeDocument({ contentId, kids: [randomUUID()], signaling }));
    readKeys(client, xml);
    expect(
      find(xml, 'HLSSignalingData')
        .map(({ attribute }) => attribute('playlist'))
        .sort(),
    ).toEqual(['master', 'media']);
  }
});

it('a document with other prefixes, and with CPIX as its default namespace, gets the same keys', async () => {
  const contentId = await registerContent(target);
  const kid = randomUUID();
  const plain = spekeDocument({ contentId, kids: [kid] });
  const expected = readKeys(client, await askOk(plain)).get(kid);
  const renamed = plain.replaceAll('cpix:', 'c:').replace('xmlns:cpix', 'xmlns:c');
  const asDefault = plain
    .replaceAll('cpix:', '')
    .replace('xmlns:cpix', 'xmlns')
    .replace(/ xmlns:pskc="[^"]*"/, '');
  for (const body of [renamed, asDefault, `\ufeff${plain}`])
    expect(readKeys(client, await askOk(body)).get(kid)).toBe(expected);
});

it('a key id in upper case stays as it is in the document, and names the key of the same id in lower case', async () => {
  const contentId = await registerContent(target);
  const kid = randomUUID();
  const xml = await askOk(spekeDocument({ contentId, kids: [kid.toUpperCase()] }));
  expect(readKeys(client, xml).get(kid.toUpperCase())).toBe(await keyOf(contentId, kid));
  expect(decode(find(xml, 'HLSSignalingData')[0]?.text ?? '')).toContain(`/kid/${kid}"`);
});

it('64 keys are answered at once, all different', async () => {
  const contentId = await registerContent(target);
  const kids = Array.from({ length: 64 }, () => randomUUID());
  const keys = readKeys(client, await askOk(spekeDocument({ contentId, kids })));
  expect(new Set(keys.values()).size).toBe(64);
});

it('the answer has the key and, in base64, its URL, `identity` and `1`', async () => {
  const contentId = await registerContent(target);
  const kid = randomUUID();
  const answer = await askBySpeke1(client, speke1Document(contentId, [kid]), { as });
  expect([answer.status, answer.type, answer.headers['speke-user-agent']]).toEqual([
    200,
    'application/xml',
    'Latchkey',
  ]);
  const xml = answer.bytes.toString('utf8');
  expect(readKeys(client, xml).get(kid)).toBe(await keyOf(contentId, kid));
  const speke = 'urn:aws:amazon:com:speke';
  const values = [
    find(xml, 'URIExtXKey'),
    find(xml, 'KeyFormat', speke),
    find(xml, 'KeyFormatVersions', speke),
  ];
  expect(values.map((elements) => elements.map(({ text }) => decode(text)))).toEqual([
    [`${publicUrl}/keys/${contentId}/kid/${kid}`],
    ['identity'],
    ['1'],
  ]);
});

it('the heartbeat answers 200 to a packager', async () => {
  const answer = await client.get('/speke/v1.0/heartbeat', as);
  expect([answer.status, answer.type, answer.bytes.toString()]).toEqual([200, 'text/plain', 'ok\n']);
});

it('a request by SPEKE 1.0 for another system is refused with its id', async () => {
  const body = speke1Document(await registerContent(target), [randomUUID()], systems.widevine);
  const { status, code, json } = await askBySpeke1(client, body, { as });
  expect([status, code, json.detail]).toEqual([
    422,
    'CPIX_REFUSED',
    `Unsupported DRMSystem@systemId ${systems.widevine}`,
  ]);
});

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`any:${password}`).toString('base64')}`,
});

it('the API key is also taken as the password of Basic, and a 401 offers it', async () => {
  const body = spekeDocument({ contentId: await registerContent(target), kids: [randomUUID()] });
  const answer = await askBySpeke2(client, body, { headers: basic(as) });
  expect(answer.status).toBe(200);
  readKeys(client, answer.bytes.toString('utf8'));
  const none = await askBySpeke2(client, body, {});
  expect([none.code, none.headers['www-authenticate']]).toEqual([
    'UNAUTHENTICATED',
    'Bearer realm="latchkey", Basic realm="latchkey"',
  ]);
  const wrong = await askBySpeke2(client, body, { headers: basic(`lk_${'0'.repeat(64)}`) });
  expect(wrong.code).toBe('INVALID_API_KEY');
});

it('a content that is unknown, disabled, or of an impossible id has no keys for a packager', async () => {
  const contentId = await registerContent(target);
  const ask = async (id: string) =>
    (await askBySpeke2(client, spekeDocument({ contentId: id, kids: [randomUUID()] }), { as })).code;
  expect(await ask(unique('none'))).toBe('CONTENT_NOT_FOUND');
  for (const impossible of ['leases', 'a b', `${contentId}/kid`, 'x'.repeat(257)])
    expect(await ask(impossible)).toBe('CONTENT_NOT_FOUND');
  await client.call('DELETE', `/api/v1/content/${contentId}`, { as: admin });
  await oncePropagated(target, async () => expect(await ask(contentId)).toBe('CONTENT_NOT_FOUND'));
});
