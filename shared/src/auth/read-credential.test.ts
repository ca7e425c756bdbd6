import { expect, test } from 'vitest';
import { readBearer, readCredential } from './read-credential.ts';

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

test('the header comes before the query, and the query before the cookie', () => {
  const headers = { authorization: 'Bearer from-header', cookie: 'latchkey_token=from-cookie' };
  const query = { access_token: 'from-query' };
  expect(readCredential(headers, query, everywhere)).toBe('from-header');
  expect(readCredential({ cookie: headers.cookie }, query, everywhere)).toBe('from-query');
  expect(readCredential({ cookie: headers.cookie }, {}, everywhere)).toBe('from-cookie');
  expect(readCredential({}, undefined, everywhere)).toBeNull();
});

test('a place that is not allowed is not looked at', () => {
  const elsewhere = { cookie: 'latchkey_token=c' };
  const query = { access_token: 'q' };
  expect(readCredential(elsewhere, query, ['header'])).toBeNull();
  expect(readCredential(elsewhere, query, ['header', 'cookie'])).toBe('c');
  expect(readCredential(elsewhere, query, ['query'])).toBe('q');
  expect(readCredential(elsewhere, {}, ['header', 'query'])).toBeNull();
});

test('where the header is not among the places, a token in it does not count, and an API key does', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln';
  const read = (credential: string, query = {}) =>
    readCredential({ authorization: `Bearer ${credential}` }, query, ['query', 'cookie']);
  expect(read(token, { access_token: 'q' })).toBe('q');
  expect(read(token)).toBeNull();
  expect(read(`lk_${'0'.repeat(64)}`, { access_token: 'q' })).toBe(`lk_${'0'.repeat(64)}`);
});

test('a query value that came twice, and an empty one, is none', () => {
  expect(readCredential({}, { access_token: ['a', 'b'] }, everywhere)).toBeNull();
  expect(readCredential({}, { access_token: '' }, everywhere)).toBeNull();
});

test('the cookie is found among others by its whole name', () => {
  const read = (cookie: string) => readCredential({ cookie }, {}, everywhere);
  expect(read('a=1; latchkey_token=x.y.z; b=2')).toBe('x.y.z');
  expect(read('not_latchkey_token=x; latchkey_token2=y')).toBeNull();
  expect(read('latchkey_token=')).toBeNull();
  expect(read('latchkey_token')).toBeNull();
});
