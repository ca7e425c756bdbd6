import { expect, test } from 'vitest';
import { presentsApiKey, readBearer, readCredential } from './read-credential.ts';

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
  expect(readCredential(headers, query, everywhere)).toBe('from-header');
  expect(readCredential({ cookie: headers.cookie }, query, everywhere)).toBe('ey.from.query');
  expect(readCredential({ cookie: headers.cookie }, {}, everywhere)).toBe('ey.from.cookie');
  expect(readCredential({}, undefined, everywhere)).toBeNull();
});

test('a token in a place that is not allowed is ignored', () => {
  const elsewhere = { cookie: 'latchkey_token=ey.c.c' };
  const query = { access_token: 'ey.q.q' };
  expect(readCredential(elsewhere, query, ['header'])).toBeNull();
  expect(readCredential(elsewhere, query, ['header', 'cookie'])).toBe('ey.c.c');
  expect(readCredential(elsewhere, query, ['query'])).toBe('ey.q.q');
  expect(readCredential(elsewhere, {}, ['header', 'query'])).toBeNull();
  expect(readCredential({}, { access_token: apiKey }, ['header'])).toBeNull();
});

test('a text in the query or cookie without the form of a token is refused, including an API key', () => {
  for (const value of [apiKey, 'bootstrap-key', 'garbage', 'ey.two']) {
    const refusal = expect.objectContaining({ code: 'INVALID_TOKEN' });
    expect(() => readCredential({}, { access_token: value }, everywhere)).toThrow(refusal);
    expect(() => readCredential({ cookie: `latchkey_token=${value}` }, {}, everywhere)).toThrow(refusal);
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
    readCredential({ authorization: `Bearer ${credential}` }, query, ['query', 'cookie']);
  expect(read(token, { access_token: 'ey.q.q' })).toBe('ey.q.q');
  expect(read(token)).toBeNull();
  expect(read(apiKey, { access_token: 'ey.q.q' })).toBe(apiKey);
});

test('a query value that comes twice or is empty is not a token', () => {
  expect(readCredential({}, { access_token: ['a', 'b'] }, everywhere)).toBeNull();
  expect(readCredential({}, { access_token: '' }, everywhere)).toBeNull();
});
