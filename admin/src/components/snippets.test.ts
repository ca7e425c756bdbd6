import { expect, it } from 'vitest';
import {
  curlSnippet,
  encryptSnippet,
  keyTagOf,
  keyUrlOf,
  playerSnippet,
  readEpoch,
  shownCurlSnippet,
} from './snippets.ts';

const serverUrl = 'https://admin.example.com';

it('an epoch is a whole number up to 2^32 - 1', () => {
  expect(['', ' 0 ', '4294967295'].map(readEpoch)).toEqual([null, 0, 4_294_967_295]);
  for (const text of ['-1', '01', '1.5', '4294967296', '1e3', 'x'])
    expect([text, readEpoch(text)]).toEqual([text, undefined]);
});

it('the key URL ends with the epoch, including epoch 0, and uses the address from the server, not the address of this page', () => {
  expect(keyUrlOf('/keys/film', serverUrl, 0)).toBe('https://admin.example.com/keys/film/0');
  const url = keyUrlOf('https://keys.example.com/base/keys/film', serverUrl, null);
  expect(keyTagOf(url)).toBe('#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example.com/base/keys/film"');
});

it('the command accepts an ID that starts with a dash', () => {
  expect(encryptSnippet({ serverUrl, contentId: '-rf' })).toContain(' --content-id=-rf \\\n');
});

const rawKey = `lk_${'ab'.repeat(32)}`;
const facts = { serverUrl: 'https://keys.example', contentId: 'film', rawKey };

it('the copied command has the full key, and the shown command has its prefix', () => {
  expect(curlSnippet(facts)).toContain(`LATCHKEY_API_KEY=${rawKey}\n`);
  expect(shownCurlSnippet(facts)).toContain('LATCHKEY_API_KEY=lk_abababab…\n');
});

it('the curl command needs no program that POSIX does not have', () => {
  expect(curlSnippet(facts)).toMatch(/ \| od -An -tx1$/);
});

it('every snippet names server and content, the one for a player imports the project’s player, and only the curl command has the API key', () => {
  for (const text of [encryptSnippet(facts), encryptSnippet(facts, true), playerSnippet(facts)]) {
    expect(text).toContain('https://keys.example');
    expect(text).not.toContain('lk_');
  }
  expect(curlSnippet(facts)).toContain('https://keys.example/keys/film');
  expect(playerSnippet(facts)).toContain(`import { createPlayer } from '@latchkey/player'`);
  expect(playerSnippet(facts)).toContain(`{ contentId: 'film' }`);
});
