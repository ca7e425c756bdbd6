import { registerContent } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, it } from 'vitest';
import { expectNo5xx, listQueries } from './odd-requests.ts';

const target = await openTarget();
const { client, adminApiKey: admin } = target;
const contentId = await registerContent(target);

const maxEpoch = 4_294_967_295;
/** Beyond 32 bits, 53 bits, 64 bits and all of a double, and what is no number. */
const odd = [
  ...['-1', '0', '4294967296', '9007199254740993', '9223372036854775808', '99999999999999999999'],
  ...['1e309', '1e20', '0.5', 'NaN', 'Infinity', '0x10', '+1', '١', ''],
];
/** Beyond what Postgres or a Date of JavaScript holds, and what is no instant. */
const oddInstants = [
  ...['+275760-09-13T00:00:00.000Z', '+275760-09-13T00:00:00.001Z', '-271821-04-20T00:00:00.000Z'],
  ...['-000001-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-02-30T00:00:00Z'],
  ...[
    '2026-01-01T00:00:60Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00+99:99',
    '1e20',
    '8640000000000001',
  ],
];
const cursorOf = (text: string) => Buffer.from(text).toString('base64url');
const oddCursors = [
  ...['9999999999999999:', '9007199254740993:a', '0:', '1:x', '4294967296:1', '9999999999999999:-'],
  ...['NaN:a', '-1:a', '1e9:a', '99999999999999999999:a', '1:\0', '1:\ud800', '~1:a', 'name~1:a', '1'],
].map(cursorOf);

it.each(listQueries(client.api, ['get']))(
  'odd numbers, and instants or cursors, in the query of %s %s, in %s, never get a 5xx',
  async (_method, path, name) => {
    const url = path.replace(/\{(id|contentId)\}/g, contentId).replace(/\{[^}]+\}/g, 'x');
    const texts = [...odd, ...(name === 'cursor' ? oddCursors : oddInstants)];
    await expectNo5xx(
      target,
      texts.map((text) => ['GET', `${url}?${name}=${encodeURIComponent(text)}`]),
    );
  },
);

it('odd numbers in a path that names an epoch or an id never get a 5xx', async () => {
  const paths = (text: string): [string, string][] => [
    ['GET', `/keys/${contentId}/${text}`],
    ['PUT', `/keys/${contentId}/${text}`],
    ['DELETE', `/api/v1/content/${contentId}/keys/${text}`],
    ['GET', `/api/v1/leases/${text}`],
    ['GET', `/api/v1/webhooks/${text}`],
    ['DELETE', `/api/v1/webhooks/${text}`],
    ['DELETE', `/api/v1/api-keys/${text}`],
    ['DELETE', `/api/v1/marks/${text}`],
  ];
  await expectNo5xx(
    target,
    odd.flatMap((text) => paths(encodeURIComponent(text))),
  );
});

it('an export of keys begins at any epoch that there is, and a later one gets 400', async () => {
  const path = (from: string) => `/api/v1/content/${contentId}/keys?from=${from}`;
  for (const from of ['0', String(maxEpoch)])
    expect([from, (await client.get(path(from), admin)).status]).toEqual([from, 200]);
  for (const from of [String(maxEpoch + 1), '9007199254740993', '99999999999999999999', '-1', '1e309']) {
    const { status, code, json } = await client.get(path(from), admin);
    expect([from, status, code]).toEqual([from, 400, 'VALIDATION_FAILED']);
    expect(json.errors).toHaveLength(1);
  }
});

/** As JSON text, because some are no numbers of JavaScript. */
const numbers = [
  '-1',
  '0',
  '0.5',
  '4294967296',
  '9007199254740993',
  '9223372036854775808',
  '1e20',
  '1e308',
  '-0',
  '5e-324',
];
const texts = ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ufffe"', '"\\u202e"'];
const instants = oddInstants.map((text) => JSON.stringify(text));

const bodies: [string, string, string, string[]][] = [
  ['POST', '/api/v1/content', '{"name":"n","sizeBytes":@}', numbers],
  ['POST', '/api/v1/content', '{"name":"n","manifestKey":@}', texts],
  ['POST', '/api/v1/content', '{"name":@}', texts],
  ['POST', '/api/v1/content', '{"name":"n","metadata":{"a":@}}', [...texts, ...numbers]],
  ['POST', '/api/v1/content', '{"name":"n","metadata":{@:1}}', texts],
  [
    'POST',
    '/api/v1/content',
    '{"name":"n","keyPeriods":{"mode":"clock","origin":@,"periodSeconds":1}}',
    instants,
  ],
  [
    'POST',
    '/api/v1/content',
    '{"name":"n","keyPeriods":{"mode":"clock","origin":"2026-01-01T00:00:00Z","periodSeconds":1,"behind":@}}',
    numbers,
  ],
  [
    'POST',
    '/api/v1/content',
    '{"name":"n","keyPeriods":{"mode":"sequence","count":@,"periodSeconds":1}}',
    numbers,
  ],
  [
    'POST',
    '/api/v1/content',
    '{"name":"n","keyPeriods":{"mode":"sequence","count":1,"periodSeconds":@}}',
    numbers,
  ],
  [
    'POST',
    '/api/v1/content',
    '{"name":"n","keyPeriods":{"mode":"sequence","count":1,"periodSeconds":1,"speed":@}}',
    numbers,
  ],
  [
    'POST',
    '/api/v1/api-keys',
    '{"name":"n","scope":"playback","expiresAt":@}',
    [...instants, ...numbers, ...texts],
  ],
  ['POST', '/api/v1/api-keys', '{"name":@,"scope":"playback"}', texts],
  ['POST', '/api/v1/api-keys/x/rotate', '{"overlapSeconds":@}', numbers],
  ['POST', '/keys/leases', `{"contentId":"${contentId}","viewerId":"v","requestedTtlSeconds":@}`, numbers],
  ['POST', '/keys/leases', `{"contentId":"${contentId}","viewerId":@}`, texts],
  ['POST', '/keys/leases', `{"contentId":"${contentId}","viewerId":"v","deviceId":@}`, texts],
  ['POST', '/keys/leases/renew', '{"leaseId":@}', texts],
  ['POST', '/keys/leases/revoke', '{"viewerId":@}', texts],
  ['POST', '/keys/leases/revoke', `{"viewerId":"${unique('v')}","reason":@}`, texts],
  ['POST', '/keys/sessions', `{"contentId":"${contentId}","viewerId":"v","ttlSeconds":@}`, numbers],
  ['POST', '/api/v1/webhooks', '{"url":"https://a.example/","events":["*"],"name":@}', texts],
  ['POST', '/api/v1/webhooks', '{"url":@}', texts],
  [
    'POST',
    '/presign',
    `{"key":"content/${contentId}/a","contentType":"video/mp4","contentLength":@}`,
    numbers,
  ],
  ['POST', '/api/v1/key-decisions', `{"contentId":"${contentId}","epoch":@}`, numbers],
  ['POST', '/api/v1/player-metrics', '{"keyLoadTimeMs":@}', numbers],
];

it.each(bodies)('%s %s with odd values in %s never gets a 5xx', async (method, path, body, values) => {
  await expectNo5xx(
    target,
    values.map((value) => [method, path, body.replace('@', value)]),
  );
});
