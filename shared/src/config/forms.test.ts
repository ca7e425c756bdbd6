import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { bearerCredential, boolean, hexKey, integer, list, oneOf, secretBytes, text } from './forms.ts';
import { baseUrl, exactOrigins, pageOrigins, postgresUrl, redisUrl, url } from './url-forms.ts';

const bytes = 'ab'.repeat(32);
const long = 'a'.repeat(32);
const web = url('http', 'https');

describe('a value is read as written', () => {
  it.each<[string, z.ZodType, string, unknown]>([
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
    ['credential', bearerCredential, `ey${long}.x`, `ey${long}.x`],
    ['url', web, 'https://Example.com/a?b=c', 'https://Example.com/a?b=c'],
    ['baseUrl', baseUrl, 'https://Example.com/a/', 'https://Example.com/a'],
    ['baseUrl', baseUrl, 'https://example.com//', 'https://example.com'],
    ['postgresUrl', postgresUrl, 'postgres://u:p%40@db1,db2/x', 'postgres://u:p%40@db1,db2/x'],
    ['redisUrl', redisUrl, 'redis://:p@cache', 'redis://:p@cache'],
    ['redisUrl', redisUrl, 'rediss://cache:6380/15', 'rediss://cache:6380/15'],
    ['pageOrigins', pageOrigins, '*', '*'],
    ['pageOrigins', pageOrigins, 'http://[::1]:81, https://a', ['http://[::1]:81', 'https://a']],
  ])('%s (row %#)', (_form, schema, input, value) => {
    expect(schema.parse(input)).toEqual(value);
  });
});

describe('nothing is coerced', () => {
  it.each<[string, z.ZodType, readonly string[]]>([
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
    ['secretBytes', secretBytes, [`base64:${'A'.repeat(43)}=\n`, `base64:${'-'.repeat(43)}=`]],
    ['credential', bearerCredential, [`${long} `, 'a b', 'a\tb', 'schlüssel', 'eyJh.eyJz.c2ln']],
    ['url', web, ['example.com', 'ftp://a', 'http://', 'http://u:p@a', 'http://a/#b', 'http://a b']],
    ['baseUrl', baseUrl, ['https://a?b', 'https://a/b?', 'ftp://a', 'https://u:p@a']],
    [
      'postgresUrl',
      postgresUrl,
      ['mysql://a', 'postgres://', 'data/latchkey.db', 'postgres://a/b?sslmode=x'],
    ],
    ['redisUrl', redisUrl, ['http://cache', 'redis://cache/cache', 'redis://cache/1x', 'redis://cache?db=x']],
    ['redisUrl', redisUrl, ['redis://a,b', 'redis+sentinel://a,b', 'redis+cluster://a,b']],
    ['pageOrigins', pageOrigins, ['*, https://a.example', 'https://*.a.example', 'null', 'a.example']],
    ['pageOrigins', pageOrigins, ['https://a/', 'https://A', 'https://a:443', 'ftp://a', 'https://a,']],
    [
      'pageOrigins',
      pageOrigins,
      ['https://u@a.example', 'https://a.example?x', 'https://a.example https://b.example'],
    ],
    ['pageOrigins', pageOrigins, ['capacitor://localhost/', 'Capacitor://localhost', 'app://Localhost']],
    ['pageOrigins', pageOrigins, ['app://', 'app:a', 'app://u@a', 'app://a?x', 'app://a:0', 'app://a:99999']],
    ['pageOrigins', pageOrigins, ['chrome-extension://*', 'app://a b', 'app://a;b', '://a', '+a://b']],
    ['pageOrigins', pageOrigins, ['htps://a.example', 'httpss://a.example', 'ws://a', 'wss://a', 'file://']],
    ['exactOrigins', exactOrigins, ['*', 'https://a.example/x', 'capacitor://localhost']],
  ])('%s (row %#)', (_form, schema, inputs) => {
    expect(inputs.filter((input) => schema.safeParse(input).success)).toEqual([]);
  });
});

const applications = [
  'capacitor://localhost',
  'tauri://localhost',
  'ionic://localhost:8100',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc',
  'vscode-webview://1ab2c3d4e5',
  'app://obsidian.md',
  'app://.',
];

it.each(applications)('the origin of an application, %s, can be listed with a web page', (origin) => {
  expect(pageOrigins.parse(`${origin}, https://a.example`)).toEqual([origin, 'https://a.example']);
});

it.each(['null', 'file://', 'file:///android_asset', 'https://a.example,null'])(
  'origins of pages with %s are refused, and the message names the other pages that send it',
  (value) => {
    expect(pageOrigins.safeParse(value).error?.issues[0]?.message).toMatch(
      /sandboxed frames of any site.*local file/,
    );
  },
);
