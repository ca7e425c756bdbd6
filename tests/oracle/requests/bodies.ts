import { token } from '../credentials.ts';
import { adminKey } from '../odd-key-requests.ts';
import type { Json, Recorder } from '../recorder.ts';
import { fillPath, makeScene, type Operation, validBody } from './operations.ts';

/** Bodies of another form for every operation that takes JSON. */
export async function recordBodies(
  recorder: Recorder,
  operations: readonly Operation[],
  webhookUrl: string,
): Promise<void> {
  for (const operation of operations) {
    const { schema, name, method, path } = operation;
    if (!schema) continue;
    const scene = await makeScene(recorder, operation, `bodies-${operation.tag}`);
    const byViewer = /^POST \/(keys\/(leases|sessions)|keys\/leases\/renew|licenses|api\/v1\/player)/.test(
      name,
    );
    const authorization = `authorization: Bearer ${byViewer ? token() : adminKey}`;
    const target = fillPath(path, scene.ids);
    const valid = validBody(name, scene, webhookUrl);
    const place = {
      file: 'requests/bodies.txt',
      subject: name,
      shown: `${method} ${target}\n${authorization}`,
    };
    const send = (variant: string, body: string | Buffer, ...headers: string[]) =>
      recorder.record(place, variant, { method, target, headers: [authorization, ...headers], body });
    for (const body of wrongBodies(schema, valid)) await send(body, body);
    const text = JSON.stringify(valid);
    for (const type of contentTypes) await send(type, text, type);
    await send('content-encoding: gzip', text, 'content-encoding: gzip');
    await send(
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    );
    const tooLarge = {
      method,
      target,
      headers: [authorization, 'content-type: application/json', 'content-length: 65537'],
    };
    await recorder.record(place, 'content-length: 65537', tooLarge);
    await recorder.record(place, 'no body', { method, target, headers: [authorization] });
    const typed = { method, target, headers: [authorization, 'content-type: application/json'] };
    await recorder.record(place, 'no body, but a content type', typed);
  }
}

const contentTypes = [
  'content-type: text/plain',
  'content-type: application/json; charset=latin1',
  'content-type: application/problem+json',
  'content-type: application/x-www-form-urlencoded',
  'content-type: multipart/form-data',
  'content-type: rubbish',
];

function wrongBodies(schema: Json, valid: Json): string[] {
  const properties = Object.entries<Json>(schema.properties ?? {});
  const changed = properties.flatMap(([name, member]) =>
    wrongValues(member, name).map((value) => ({ ...valid, [name]: value })),
  );
  const lacking = ((schema.required ?? []) as string[]).map((name) => ({ ...valid, [name]: undefined }));
  const text = JSON.stringify(valid);
  const raw = [
    '',
    ' ',
    '{',
    'null',
    '[]',
    '[{}]',
    '"text"',
    '5',
    '{}',
    `${text}x`,
    `\ufeff${text}`,
    "{'a':1}",
  ];
  const [first] = properties;
  const twice = first ? [`{"${first[0]}":5,${text.slice(1)}`] : [];
  const prototypes = ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}'];
  const unknown = { ...valid, unknownMember: 1 };
  const all = [...lacking, unknown, ...changed].map((body) => JSON.stringify(body));
  return [...new Set([...all, ...raw, ...twice, ...prototypes])];
}

const ofEachType = [null, true, 5, 'x', [], {}];
const typeOf = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : typeof value === 'number'
        ? 'integer'
        : typeof value;

function wrongValues(schema: Json, name: string): unknown[] {
  const named: string[] = [schema.type ?? (schema.enum || schema.anyOf ? 'string' : 'object')].flat();
  const types = named.map((type) => (type === 'number' ? 'integer' : type));
  const others = ofEachType.filter((value) => !types.includes(typeOf(value)));
  const values: unknown[] = name === 'keyPeriods' ? [...keyPeriods] : [];
  if (types.includes('string')) {
    values.push('', ' ', 'a\u0000b', '\ud800', 'é'.repeat((schema.maxLength ?? 256) + 1));
    if (schema.enum || schema.anyOf) values.push('other');
    if (/At|Url|url|origin/.test(name))
      values.push('2020-01-01', '2020-01-01T00:00:00Z', 'http://a b', 'ftp://a.example/');
  }
  if (types.includes('integer'))
    values.push(-1, 0, 1.5, 1e300, schema.minimum ?? 1, (schema.maximum ?? 1_000) + 1);
  if (types.includes('array')) values.push([], [null], ['other'], ['a', 'a'], Array(200).fill('alert.ended'));
  return [...others, ...values];
}

const clock = { mode: 'clock', origin: '1970-01-01T00:00:00.000Z', periodSeconds: 60 };
const sequence = { mode: 'sequence', count: 4, periodSeconds: 60 };
const keyPeriods = [
  { mode: 'other' },
  { mode: 'clock' },
  { ...clock, origin: 'yesterday' },
  { ...clock, periodSeconds: 0 },
  { ...clock, ahead: 11 },
  { ...clock, behind: -1 },
  { ...clock, count: 4 },
  clock,
  { mode: 'sequence' },
  { ...sequence, count: 0 },
  { ...sequence, count: 4_294_967_297 },
  { ...sequence, periodSeconds: 0 },
  { ...sequence, burst: 1_001 },
  { ...sequence, speed: 0 },
  { ...sequence, pace: 'no' },
  sequence,
];
