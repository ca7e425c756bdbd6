import { expect, test } from 'vitest';
import { presentsApiKey, readBearer, readCredentials } from './read-credential.ts';

test.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER   abc  ', 'abc'],
  ['Bearer', null],
  ['Bearer ', null],
  ['Bearer a b', null],
  ['Basic abc', null],
  ['abc', null],
  ['xBearer abc', null],
  ['', null],
])('Authorization: %s carries %s', (authorization, credential) => {
  expect(readBearer({ authorization })).toBe(credential);
});

const everywhere = ['header', 'query', 'cookie'] as const;
const apiKey = `lk_${'0'.repeat(64)}`;

test('a token in the header precedes the query, and the query precedes the cookie', () => {
  const headers = { authorization: 'Bearer from-header', cookie: 'latchkey_token=ey.from.cookie' };
  const query = { access_token: 'ey.from.query' };
  expect(readCredentials(headers, query, everywhere)).toEqual(['from-header']);
  expect(readCredentials({ cookie: headers.cookie }, query, everywhere)).toEqual(['ey.from.query']);
  expect(readCredentials({ cookie: headers.cookie }, {}, everywhere)).toEqual(['ey.from.cookie']);
  expect(readCredentials({}, undefined, everywhere)).toEqual([]);
});

test('a token in a place that is not allowed is ignored', () => {
  const elsewhere = { cookie: 'latchkey_token=ey.c.c' };
  const query = { access_token: 'ey.q.q' };
  expect(readCredentials(elsewhere, query, ['header'])).toEqual([]);
  expect(readCredentials(elsewhere, query, ['header', 'cookie'])).toEqual(['ey.c.c']);
  expect(readCredentials(elsewhere, query, ['query'])).toEqual(['ey.q.q']);
  expect(readCredentials(elsewhere, {}, ['header', 'query'])).toEqual([]);
  expect(readCredentials({}, { access_token: apiKey }, ['header'])).toEqual([]);
});

test('a text in the query or cookie without the form of a token is refused, including an API key', () => {
  for (const value of [apiKey, 'bootstrap-key', 'garbage', 'ey.two']) {
    const refusal = expect.objectContaining({ code: 'INVALID_TOKEN' });
    expect(() => readCredentials({}, { access_token: value }, everywhere)).toThrow(refusal);
    expect(() => readCredentials({ cookie: `latchkey_token=${value}` }, {}, everywhere)).toThrow(refusal);
  }
});

test('a text in the header with the prefix of an API key counts as one, known or not', () => {
  expect(presentsApiKey({ authorization: `Bearer ${apiKey}` })).toBe(true);
  expect(presentsApiKey({ authorization: 'bearer lk_wrong' })).toBe(true);
  expect(presentsApiKey({ authorization: 'Bearer ey.a.b' })).toBe(false);
  expect(presentsApiKey({ cookie: `latchkey_token=${apiKey}` })).toBe(false);
});

test('where the header is not an allowed source, a token in it is ignored, and an API key is read', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln';
  const read = (credential: string, query = {}) =>
    readCredentials({ authorization: `Bearer ${credential}` }, query, ['query', 'cookie']);
  expect(read(token, { access_token: 'ey.q.q' })).toEqual(['ey.q.q']);
  expect(read(token)).toEqual([]);
  expect(read(apiKey, { access_token: 'ey.q.q' })).toEqual([apiKey]);
});

test('a query value that comes twice or is empty is not a token', () => {
  expect(readCredentials({}, { access_token: ['a', 'b'] }, everywhere)).toEqual([]);
  expect(readCredentials({}, { access_token: '' }, everywhere)).toEqual([]);
});

test.each([
  ['latchkey_token=ey.a.b; theme=dark;latchkey_token=ey.c.d', ['ey.a.b', 'ey.c.d']],
  ['latchkey_token=; latchkey_token=ey.c.d', ['ey.c.d']],
  ['latchkey_token=garbage; latchkey_token=ey.c.d', ['ey.c.d']],
  ['xlatchkey_token=ey.a.b; latchkey_token=ey.c.d; latchkey_tokens=ey.e.f', ['ey.c.d']],
  [[1, 2, 3, 4, 5].map((n) => `latchkey_token=ey.${n}.`).join('; '), ['ey.1.', 'ey.2.', 'ey.3.', 'ey.4.']],
  [`${'latchkey_token=;'.repeat(4)}latchkey_token=ey.c.d`, []],
])('of the cookies %s the tokens %j are tried, at most four and in this order', (cookie, tokens) => {
  expect(readCredentials({ cookie }, {}, everywhere)).toEqual(tokens);
});
