import { outcomeOf } from '@latchkey/support/black-box/answer';
import {
  makeScene,
  oncePropagated,
  registerContent,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { listedOrigin, playlistOrigin } from '@latchkey/support/black-box/shared-settings';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { openSession, setPlaylist } from '@latchkey/support/playback/open-session';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';

// docs/reference/contract.md#clear-key-licences
const target = await openShared('every-route');
const { client, adminApiKey: admin, jwtSecret } = target;

const pathOf = (contentId: string) => `/licenses/clearkey/${contentId}`;
const keyPathOf = (contentId: string, epoch?: number) =>
  epoch === undefined ? `/keys/${contentId}` : `/keys/${contentId}/${epoch}`;

/** Sends a licence request as a browser writes it. */
async function askFor(
  contentId: string,
  kids: readonly string[],
  as?: string,
  headers: Record<string, string> = {},
) {
  const body = JSON.stringify({ kids, type: 'temporary' });
  const answer = await client.call('POST', pathOf(contentId), { as, headers, body });
  for (const { k } of answer.json?.keys ?? []) client.credentials.add(k);
  return answer;
}

/** Asks for a key of an epoch and for a licence, with an API key. @returns both outcomes, such as `403 EPOCH_PAST` */
async function outcomesOf(contentId: string, epoch?: number): Promise<string[]> {
  const answers = [
    await client.get(keyPathOf(contentId, epoch), admin),
    await askFor(contentId, [keyIdOf(contentId, epoch)], admin),
  ];
  return answers.map(outcomeOf);
}
const both = (outcome: string) => [outcome, outcome];

const registerWith = (keyPeriods: object) => registerContent(target, undefined, { keyPeriods });

it('a licence has the keys of GET /keys, in the format of Encrypted Media Extensions', async () => {
  const { contentId, token } = await makeScene(target);
  const epochs = [undefined, 0, 7, 4_294_967_295];
  const kids = epochs.map((epoch) => keyIdOf(contentId, epoch));
  const keys = await Promise.all(epochs.map((epoch) => client.get(keyPathOf(contentId, epoch), token)));
  const answer = await askFor(contentId, kids, token);
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    keys: kids.map((kid, n) => ({ kty: 'oct', kid, k: keys[n]?.bytes.toString('base64url') })),
    type: 'temporary',
  });
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.type).toBe('application/json');
});

it.each([undefined, 'application/json', 'application/octet-stream', 'text/plain;charset=UTF-8'])(
  'a licence request with the content type %s is read as JSON',
  async (type) => {
    const { contentId, token } = await makeScene(target);
    const headers: Record<string, string> = type ? { 'content-type': type } : {};
    expect((await askFor(contentId, [keyIdOf(contentId)], token, headers)).status).toBe(200);
  },
);

it('64 key ids and repeated ones are answered, each key once, and unknown members are ignored', async () => {
  const { contentId, token } = await makeScene(target);
  const kids = Array.from({ length: 64 }, (_, epoch) => keyIdOf(contentId, epoch));
  expect((await askFor(contentId, kids, token)).json.keys).toHaveLength(64);
  const repeated = Array.from({ length: 64 }, () => keyIdOf(contentId, 3));
  const body = JSON.stringify({ kids: repeated, distinctiveIdentifier: { a: [1] } });
  const answer = await client.call('POST', pathOf(contentId), { as: token, body });
  expect(answer.json).toMatchObject({ keys: [{ kid: keyIdOf(contentId, 3) }], type: 'temporary' });
  client.credentials.add(answer.json.keys[0].k);
});

it('a CPIX document names keys by the key ids that a licence request has', async () => {
  const contentId = await registerContent(target);
  const document = await client.get(`/api/v1/content/${contentId}/cpix?epochs=5-6`, admin);
  const kids = [...document.bytes.toString('utf8').matchAll(/<cpix:ContentKey kid="([^"]+)"/g)].map(
    ([, kid = '']) => Buffer.from(kid.replaceAll('-', ''), 'hex').toString('base64url'),
  );
  expect(kids).toEqual([keyIdOf(contentId, 5), keyIdOf(contentId, 6)]);
  expect((await askFor(contentId, kids, admin)).status).toBe(200);
});

it('an imported key is in the licence in place of the derived one', async () => {
  const { contentId, token } = await makeScene(target);
  const path = `/api/v1/content/${contentId}/keys/7`;
  const key = Buffer.from(unique('0123456789').slice(-16).padStart(16, '-'));
  expect((await client.call('PUT', path, { as: admin, body: key })).status).toBe(204);
  await oncePropagated(target, async () => {
    const { json } = await askFor(contentId, [keyIdOf(contentId, 7)], token);
    expect(json.keys[0].k).toBe(key.toString('base64url'));
  });
});

it('a session in the URL gets licences for its content until it is revoked', async () => {
  const scene = await makeScene(target);
  const { contentId } = scene;
  await setPlaylist(target, contentId, `${playlistOrigin}/master.m3u8`);
  const { sid, leaseId } = await openSession(target, scene);
  const other = await registerContent(target);
  const ask = async (id: string) => {
    const body = JSON.stringify({ kids: [keyIdOf(id, 2)] });
    const answer = await client.call('POST', `${pathOf(id)}?s=${sid}`, { body });
    for (const { k } of answer.json?.keys ?? []) client.credentials.add(k);
    return answer;
  };
  const served = await ask(contentId);
  expect([served.status, served.headers['access-control-allow-origin']]).toEqual([200, '*']);
  expect((await ask(other)).code).toBe('CONTENT_NOT_ENTITLED');
  await revokeLeases(target, { leaseId });
  await oncePropagated(target, async () => expect((await ask(contentId)).code).toBe('LEASE_REVOKED'));
});

it('key periods bound licences, and one epoch that is refused refuses the whole licence', async () => {
  const film = await registerWith({ mode: 'sequence', count: 10, periodSeconds: 86_400, burst: 3 });
  const origin = new Date(Date.now() - 86_400_000 * 5.5).toISOString();
  const live = await registerWith({ mode: 'clock', origin, periodSeconds: 86_400, behind: 1 });
  expect(await outcomesOf(film)).toEqual(both('404 EPOCH_NOT_FOUND'));
  expect(await outcomesOf(film, 10)).toEqual(both('404 EPOCH_NOT_FOUND'));
  expect(await outcomesOf(live, 8)).toEqual(both('403 EPOCH_NOT_YET'));
  expect(await outcomesOf(live, 2)).toEqual(both('403 EPOCH_PAST'));
  expect(await outcomesOf(live, 5)).toEqual(both('200'));
  const partly = await askFor(live, [keyIdOf(live, 5), keyIdOf(live, 8)], admin);
  expect([partly.code, partly.json.keys]).toEqual(['EPOCH_NOT_YET', undefined]);
});

it('one licence with many epochs is paced as that many key requests', async () => {
  const film = await registerWith({ mode: 'sequence', count: 1_000, periodSeconds: 86_400, burst: 3 });
  const kids = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => keyIdOf(film, from + n));
  const ask = (named: string[], viewerId: string) =>
    askFor(film, named, viewerToken(jwtSecret, viewerId)).then(({ status, code }) => code ?? status);
  const [one, two] = [unique('viewer'), unique('viewer')];
  expect(await ask(kids(0, 2), one)).toBe(200);
  // Without shared pace, each replica has a bucket.
  if (target.propagationMs === 0) expect(await ask(kids(3, 3), one)).toBe('KEY_PACE_EXCEEDED');
  expect(await ask(kids(100, 163), two)).toBe('KEY_PACE_EXCEEDED');
});

it('a page of a listed origin may ask for licences with a token, a lease and JSON', async () => {
  const preflight = await client.call('OPTIONS', pathOf('film'), {
    headers: {
      origin: listedOrigin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-lease-id',
    },
  });
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, listedOrigin]);
  expect(preflight.headers['access-control-allow-methods']).toContain('POST');
  const { contentId, token } = await makeScene(target);
  const answer = await askFor(contentId, [keyIdOf(contentId)], token, { origin: listedOrigin });
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, listedOrigin]);
});

const own = keyIdOf('film');
const wrongBodies: [string, string | Buffer][] = [
  ['no body', ''],
  ['no JSON', '{"kids":['],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(`{"kids":["${own}"],"x":"`), Buffer.from([0xff]), Buffer.from('"}')]),
  ],
  ['a list', '[]'],
  ['null', 'null'],
  ['no key id', '{"kids":[]}'],
  ['no member kids', '{"type":"temporary"}'],
  ['a key id that is a number', '{"kids":[5]}'],
  [
    'a key id in hexadecimal digits',
    JSON.stringify({ kids: [Buffer.from(own, 'base64url').toString('hex')] }),
  ],
  ['a key id with padding', JSON.stringify({ kids: [`${own}==`] })],
  ['a key id in plain base64', JSON.stringify({ kids: [`${'+/'.repeat(10)}AA`] })],
  ['a key id in a second form', JSON.stringify({ kids: [own.replace(/A$/, 'B')] })],
  ['a short key id', JSON.stringify({ kids: [own.slice(1)] })],
  ['a key id that is not one of the server', JSON.stringify({ kids: ['A'.repeat(22)] })],
  ['a type that is not known', JSON.stringify({ kids: [own], type: 'x' })],
  ['65 key ids', JSON.stringify({ kids: Array.from({ length: 65 }, () => own) })],
  ['deep nesting', `{"kids":${'['.repeat(1_500)}${']'.repeat(1_500)}}`],
  ['a prototype', `{"__proto__":{"kids":["${own}"]}}`],
];
it.each(wrongBodies)('a licence request with %s gets 400', async (_name, body) => {
  const answer = await client.call('POST', pathOf('film'), { as: admin, body });
  expect(answer.code).toBe('VALIDATION_FAILED');
});

it('a key id of another content gets 400, which names the content that was asked for', async () => {
  const [one, other] = [await registerContent(target), await registerContent(target)];
  const { status, json } = await client.call('POST', pathOf(one), {
    as: admin,
    json: { kids: [keyIdOf(one), keyIdOf(other)] },
  });
  expect([status, json.errors]).toEqual([
    400,
    [{ path: '/kids/1', message: `is not a key id of the content ${one}` }],
  ]);
});

it('a licence to keep on the device gets 400, which explains that it could not be revoked', async () => {
  const contentId = await registerContent(target);
  const body = JSON.stringify({ kids: [keyIdOf(contentId)], type: 'persistent-license' });
  const answer = await client.call('POST', pathOf(contentId), { as: admin, body });
  expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining('cannot be revoked')]);
});

it('a body beyond 4 KiB gets 413, GET gets 405, and another key system 404', async () => {
  const contentId = await registerContent(target);
  const body = JSON.stringify({ kids: [keyIdOf(contentId)], padding: 'x'.repeat(5_000) });
  expect((await client.call('POST', pathOf(contentId), { as: admin, body })).code).toBe('PAYLOAD_TOO_LARGE');
  const read = await client.get(pathOf(contentId), admin);
  expect([read.status, read.headers.allow]).toEqual([405, 'POST']);
  expect(
    (await client.call('POST', `/licenses/widevine/${contentId}`, { as: admin, body: '{}' })).status,
  ).toBe(404);
});
