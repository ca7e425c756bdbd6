import { Buffer } from 'node:buffer';
import { BlockList } from 'node:net';
import { parseTraceParent } from '@opentelemetry/core';
import { expect, it } from 'vitest';
import { readBasicPassword, readBearer, readCredentials, readSession } from '../auth/read-credential.ts';
import { isContentId } from '../contracts/index.ts';
import { decodeCursor } from '../db/cursor.ts';
import { foreignPageReason } from '../http/csrf.ts';
import { readOrigin } from '../http/malformed-requests.ts';
import { prefersMinimal } from '../http/prefer-minimal.ts';
import { readInstant } from '../http/validation.ts';
import { readLogHeaders } from '../internal/answer-headers.ts';
import { redact, redactPath } from '../log/index.ts';
import { holdsCredential, redactId, redactName } from '../log/redact.ts';
import { resolveClientIp } from '../net/index.ts';
import { readKeyPath } from '../statistics/refused-requests.ts';
import { measureGrowth, mostGrowth } from './time-growth.ts';

/** As many as all headers of a request may have together (`--max-http-header-size` of Node). */
const headCharacters = 16_384;

const trusted = new BlockList();
trusted.addSubnet('127.0.0.0', 8, 'ipv4');
const trustsList = { kind: 'list', trusted } as const;

const sources = ['header', 'query', 'cookie'] as const;

/** Each function that reads what anyone can send, with what its text begins with. */
const readers: [name: string, read: (text: string) => unknown, begins: string[]][] = [
  [
    'the origin of a malformed request',
    (text) => readOrigin(Buffer.from(text, 'latin1')),
    ['\r\nOrigin:', ''],
  ],
  ['text in the log', redact, ['', '/play/', '?s=', 'eyJ', 'lk_']],
  ['a name', redactName, ['', 'eyJ']],
  ['an id in the log', redactId, ['', 'eyJ']],
  ['an id that may be a credential', holdsCredential, ['', 'eyJ', 'lk_']],
  ['a path in the log', redactPath, ['/', 'https://', '/keys/a?', '/play/']],
  ['a bearer token', (text) => readBearer({ authorization: text }), ['Bearer ', 'Bearer a']],
  ['a password', (text) => readBasicPassword({ authorization: text }), ['Basic ', 'Basic a']],
  ['a cookie', (text) => readCredentials({ cookie: text }, {}, sources), ['latchkey_token=', '']],
  ['a token in a query', (text) => readCredentials({}, { access_token: text }, sources), ['ey', 'ey.a.']],
  ['a session', readSession, ['']],
  ['a content id', isContentId, ['']],
  [
    'a cursor',
    (text) => decodeCursor(Buffer.from(text, 'latin1').toString('base64url')),
    ['', 'createdAt~1:'],
  ],
  ['an instant', (text) => readInstant(text, '/from'), ['2027-01-31T12:00:00.']],
  ['a preference', (text) => prefersMinimal({ prefer: text }), ['', 'return=', 'return="']],
  [
    'the host and origin of a page',
    (text) => foreignPageReason({ host: text, origin: text }, null),
    ['', 'a:'],
  ],
  [
    'the scheme of a page',
    (text) => foreignPageReason({ host: 'a', origin: 'https://a', 'x-forwarded-proto': text }, null),
    ['https'],
  ],
  ['addresses of proxies', (text) => resolveClientIp(trustsList, '127.0.0.1', text), ['', '[', '127.0.0.1,']],
  ['a trace', parseTraceParent, ['00-', '01-']],
  ['a path of a key', readKeyPath, ['/keys/', '/keys/a/']],
  ['facts of an answer', (text) => readLogHeaders({ 'x-latchkey-principal': text }), ['viewer ', '']],
];

/** The texts that are repeated: everything that some reader looks for, or skips. */
const pumps = [
  ' ',
  '\t',
  '\r',
  '\r\norigin:',
  ',',
  '127.0.0.1,',
  '::1,',
  ';',
  ';a=',
  '/',
  '/play/',
  '&',
  '?s=',
  '=',
  '"',
  '.',
  '-',
  'a',
  'eyJ',
  'aaaaaaaaaaaaaaaaaaaa.',
  'a.',
  'eyJaaaaaaaa.',
  // A character less than the id of a session has.
  `${'a'.repeat(42)}.`,
  '%',
  '%2',
  '%25',
  'lk_',
  '0',
  ':',
  '[',
  '@',
];

const cases = readers.flatMap(([name, read, begins]) => begins.map((begin) => [name, begin, read] as const));

it('time by the square or the cube is told from proportional time', () => {
  const growthOf = (expression: RegExp) =>
    measureGrowth(
      (text) => expression.test(text),
      (characters) => `${'a'.repeat(characters)}b`,
      headCharacters,
    );
  expect(growthOf(/a+$/)).toBeGreaterThan(mostGrowth);
  expect(growthOf(/^a*a*a*$/)).toBeGreaterThan(mostGrowth);
  expect(growthOf(/(?<!a)a+$/)).toBeLessThan(mostGrowth);
});

it.each(cases)(
  '%s that begins with %j takes proportional time, whatever is repeated in it',
  (_name, begin, read) => {
    const slow = pumps.filter((pump) => {
      const textOf = (characters: number) =>
        `${begin}${pump.repeat(Math.ceil(characters / pump.length))}\u0001`;
      // One noisy comparison of many is repeated. The square stays the square.
      return [1, 2, 3].every(() => measureGrowth(read, textOf, headCharacters) > mostGrowth);
    });
    expect(slow).toEqual([]);
  },
);
