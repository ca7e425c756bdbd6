import { expect, it } from 'vitest';
import { cutCredentials, findCredential, idInPlaceOf, takeToken } from './find-credential.ts';

const digits = '0123456789abcdef'.repeat(4);
const key = `lk_${digits}`;
const prefix = 'lk_01234567';
const encode = (value: object) =>
  btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const signature = 'R'.repeat(43);
const token = `${encode({ alg: 'HS256' })}.${encode({ sub: 'auth0|ada' })}.${signature}`;
const sid = 'Xxuhl34KTVWaQw1vP28MEQECAwQFBgcICQoLDA0ODxA';
const lease = '5f1ba197-7e0a-4d55-9a43-0d6f3f6f0c11';
const escapeAll = (text: string) =>
  [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** A pasted text, its kind, and what is kept of it. */
const pasted: [text: string, kind: string, id: string, contentId: string | null][] = [
  [key, 'api-key', prefix, null],
  [key.toUpperCase(), 'api-key', prefix, null],
  [` ${key}\n`, 'api-key', prefix, null],
  [key.slice(0, 12), 'api-key', prefix, null],
  [`Authorization: Bearer ${key}`, 'api-key', prefix, null],
  [`curl -H 'Authorization: Bearer ${key}' https://keys.example/api/v1/content`, 'api-key', prefix, null],
  [`LATCHKEY_API_KEY=${key}`, 'api-key', prefix, null],
  [`Authorization: Basic ${btoa(`packager:${key}`)}`, 'api-key', prefix, null],
  [escapeAll(key), 'api-key', prefix, null],
  [token, 'token', 'auth0|ada', null],
  [`Bearer ${token}`, 'token', 'auth0|ada', null],
  [`authorization:Bearer ${token}`, 'token', 'auth0|ada', null],
  [`Bearer%20${token}`, 'token', 'auth0|ada', null],
  [`https://keys.example/keys/film/3?access_token=${token}`, 'token', 'auth0|ada', 'film'],
  [`https://keys.example/keys/film?lease_id=${lease}&access_token=${token}`, 'token', 'auth0|ada', 'film'],
  [`Cookie: a=b; latchkey_token=${token}; c=d`, 'token', 'auth0|ada', null],
  [token.slice(0, -43), 'token', 'auth0|ada', null],
  [`${encode({ alg: 'HS256' })}.${encode({ sub: 'auth0|ada' }).slice(0, 12)}`, 'token', '', null],
  [encode({ alg: 'HS256' }), 'token', '', null],
  [`${encode({ alg: 'HS256' })}.${encode({ sub: key })}.${signature}`, 'token', '', null],
  [`https://keys.example/play/${sid}/index.m3u8`, 'session', lease, null],
  [`/play/${sid}`, 'session', lease, null],
  [`https://keys.example/keys/film/3?s=${sid}`, 'session', lease, 'film'],
  [`https://keys.example/play/${sid.slice(0, 20)}`, 'session', '', null],
  [sid, 'session', lease, null],
  [escapeAll(sid), 'session', lease, null],
  ['https://keys.example/keys/film?access_token=opaque', 'other', '', 'film'],
  ['latchkey_token=opaque', 'other', '', null],
  ['https://keys.example/keys/film/0?key_credential=lkc_AbCdEfGhIjKl', 'other', '', 'film'],
  [`Authorization: Basic ${btoa('ada:secret')}`, 'other', '', null],
];

it.each(pasted)('%s is a credential: only what identifies it is kept', (text, kind, id, contentId) => {
  expect(findCredential(text)).toEqual({ kind, id, contentId });
  expect(idInPlaceOf(text)).toBe(id || contentId || '');
  expect(idInPlaceOf(text, 'content')).toBe(contentId ?? id);
  for (const kept of [cutCredentials(text), idInPlaceOf(text), idInPlaceOf(text, 'content')])
    for (const secret of [
      digits.slice(8, 20),
      digits.slice(-20).toUpperCase(),
      signature,
      sid.slice(22),
      'opaque',
      'AbCdEfGhI',
    ])
      expect(kept).not.toContain(secret);
});

it.each([
  'ada',
  'lk_0123abcd',
  'lk_',
  'film.mp4',
  'eyJust-a-name-of-a-viewer',
  '98ee5596-cd3e-a20d-163a-e382420c6eff',
  // SHA-256 in base64url: the ID of a content or a viewer may be one.
  'RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o',
  'basic subscription',
  'content/play/master.m3u8',
  'auth0|507f1f77bcf86cd799439011',
  '100%',
  'ü%zz',
  '\ue0005\ue001',
])('%s is no credential, and stays as it is', (text) => {
  expect(findCredential(text)).toBeNull();
  expect([cutCredentials(text), idInPlaceOf(text), takeToken(text)]).toEqual([text, text, text]);
});

it('of a text around a credential only the credential is cut, every one of several', () => {
  expect(cutCredentials(`leaked: ${key}, and ${token}.`)).toBe(`leaked: ${prefix}, and auth0|ada`);
  expect(cutCredentials(`see https://keys.example/play/${sid}/index.m3u8 now`)).toBe(
    `see https://keys.example/play/${lease}/index.m3u8 now`,
  );
  expect(cutCredentials('access_token=opaque')).toBe('access_token=***');
});

it.each([
  [token, token],
  [`Authorization: Bearer ${token}`, token],
  [`https://keys.example/keys/film?access_token=${token}&x=1`, token],
  [`https://keys.example/play/${sid}/index.m3u8`, sid],
  [`https://keys.example/keys/film?s=${sid}`, sid],
  [sid, sid],
  [`Bearer ${key}`, prefix],
])('the field that asks about a token takes %s without what is around it', (text, taken) =>
  expect(takeToken(text)).toBe(taken),
);

it('a text that is built to be slow takes no longer for each letter than a short one', () => {
  for (const piece of [
    'eyJ',
    'lk_',
    'a',
    'a.',
    '%25',
    '/play/',
    'access_token',
    'Basic ',
    `${'a'.repeat(42)}.`,
    '?s=',
  ]) {
    const text = piece.repeat(300_000 / piece.length);
    expect(cutCredentials(text).length).toBeGreaterThan(0);
    expect(idInPlaceOf(text).length).toBeGreaterThanOrEqual(0);
  }
});
