import { describe, expect, it } from 'vitest';
import { boolean, integer, list, oneOf, type Parser, secret, text } from './parsers.ts';
import { bearerCredential, hexKey, secretBytes } from './secret-parsers.ts';
import { redisUrl } from './store-urls.ts';
import { connectionString, origins, url } from './url-parsers.ts';

const bytes = 'ab'.repeat(32);
const long = 'a'.repeat(32);

function outcome(parser: Parser<unknown>, input: string) {
  const parsed = parser.parse(input);
  return 'wrong' in parsed ? 'refused' : parsed.value;
}

describe('a value is read as written', () => {
  it.each<[string, Parser<unknown>, string, unknown]>([
    ['integer', integer(0, 10), '0', 0],
    ['integer', integer(0, 10), '10', 10],
    ['boolean', boolean, 'true', true],
    ['boolean', boolean, 'false', false],
    ['text', text, ' as written ', ' as written '],
    ['oneOf', oneOf('a', 'b'), 'b', 'b'],
    ['list', list(oneOf('a', 'b')), ' b , a,b', ['b', 'a']],
    ['hexKey', hexKey, bytes.toUpperCase(), Buffer.alloc(32, 0xab)],
    ['secretBytes', secretBytes, 'ä'.repeat(16), Buffer.from('ä'.repeat(16))],
    ['secretBytes', secretBytes, `base64:${Buffer.alloc(32, 7).toString('base64')}`, Buffer.alloc(32, 7)],
    ['url', url('http', 'https'), 'https://Example.com/a?b=c', 'https://Example.com/a?b=c'],
    ['connectionString', connectionString('postgres'), 'postgres://u:p%40@db/x', 'postgres://u:p%40@db/x'],
    ['redisUrl', redisUrl, 'redis://:p@cache', 'redis://:p@cache'],
    ['redisUrl', redisUrl, 'rediss://cache:6380/15', 'rediss://cache:6380/15'],
    ['origins', origins, '*', '*'],
    [
      'origins',
      origins,
      'http://localhost:5173, https://a.example',
      ['http://localhost:5173', 'https://a.example'],
    ],
    ['origins', origins, 'http://[::1]:8080', ['http://[::1]:8080']],
  ])('%s (row %#)', (_kind, parser, input, value) => {
    expect(outcome(parser, input)).toEqual(value);
  });
});

describe('nothing is coerced', () => {
  it.each<[string, Parser<unknown>, readonly string[]]>([
    [
      'integer',
      integer(1, 65_535),
      ['05', '1.5', '1e3', '-1', '+1', ' 1', '1 ', '0x10', '0', '65536', '١', 'ten'],
    ],
    ['boolean', boolean, ['yes', 'no', '1', '0', 'TRUE', 'True', ' true']],
    ['text', text, ['a\nb', 'a\u0000']],
    ['oneOf', oneOf('a', 'b'), ['A', 'ab', ' a', 'toString']],
    ['list', list(oneOf('a', 'b')), ['a,', ',', 'a,,b', 'c']],
    ['hexKey', hexKey, [bytes.slice(1), `${bytes}0`, `${bytes.slice(1)}g`, ` ${bytes}`, `0x${bytes}`]],
    ['secretBytes', secretBytes, ['a'.repeat(31), `base64:${'A'.repeat(40)}`, `base64:${'A'.repeat(43)}`]],
    [
      'secretBytes',
      secretBytes,
      [`base64:${'A'.repeat(43)}=\n`, `base64:${'-'.repeat(43)}=`, `base64: ${long}${long}`],
    ],
    [
      'url',
      url('http', 'https'),
      ['example.com', 'ftp://a', 'http://', 'http://u:p@a', 'http://a/#b', 'http://a b'],
    ],
    ['connectionString', connectionString('postgres'), ['mysql://a', 'postgres://', 'data/latchkey.db']],
    [
      'redisUrl',
      redisUrl,
      [
        'http://cache',
        'redis://cache/cache',
        'redis://cache/1x',
        'redis://cache?db=x',
        'redis://a,b',
        'redis+sentinel://a,b',
      ],
    ],
    [
      'origins',
      origins,
      ['*, https://a.example', 'https://*.a.example', 'null', 'a.example', 'https://a.example/'],
    ],
    [
      'origins',
      origins,
      ['https://a.example/x', 'https://A.example', 'https://a.example:443', 'ftp://a', 'https://a,'],
    ],
    [
      'origins',
      origins,
      ['https://u@a.example', 'https://a.example?x', 'https://a.example https://b.example'],
    ],
    ['credential', bearerCredential, [`${long} `, 'a b', 'a\tb', 'schlüssel', 'eyJh.eyJz.c2ln']],
  ])('%s (row %#)', (_kind, parser, inputs) => {
    expect(inputs.filter((input) => outcome(parser, input) !== 'refused')).toEqual([]);
  });
});

describe('a credential', () => {
  it('a credential of 32 characters or more is accepted without a warning', () => {
    expect(bearerCredential.parse(long)).toEqual({ value: long });
    expect(bearerCredential.parse(`ey${long}.x`)).toEqual({ value: `ey${long}.x` });
  });

  it('a shorter credential is accepted with a warning that does not quote it', () => {
    const parsed = bearerCredential.parse('short-one');
    expect(parsed).toMatchObject({ value: 'short-one', warning: expect.stringContaining('9 characters') });
    expect(parsed).not.toMatchObject({ warning: expect.stringContaining('short-one') });
  });
});

it('a secret parser wraps the value and keeps the warning', () => {
  const parsed = secret(bearerCredential).parse('short-one');
  if ('wrong' in parsed) throw new Error(parsed.wrong);
  expect(parsed.value.reveal()).toBe('short-one');
  expect(parsed.warning).toContain('9 characters');
});
