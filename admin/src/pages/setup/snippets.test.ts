import { expect, it } from 'vitest';
import { curlSnippet, encryptSnippet, playerSnippet, shownCurlSnippet } from './snippets.ts';

const rawKey = `lk_${'ab'.repeat(32)}`;
const facts = { origin: 'https://keys.example', contentId: 'film', rawKey };

it('what is copied has the whole key, what is shown has its beginning', () => {
  expect(curlSnippet(facts)).toContain(`LATCHKEY_API_KEY=${rawKey}\n`);
  expect(shownCurlSnippet(facts)).toContain('LATCHKEY_API_KEY=lk_abababab…\n');
});

it('names the server and the content, and the API key in no other', () => {
  for (const text of [encryptSnippet(facts), playerSnippet(facts)]) {
    expect(text).toContain('https://keys.example');
    expect(text).not.toContain('lk_');
  }
  expect(curlSnippet(facts)).toContain('https://keys.example/keys/film');
});

it('plays with the player of the project, from this server, for this content', () => {
  const text = playerSnippet(facts);
  expect(text).toContain(`import { createPlayer } from '@latchkey/player'`);
  expect(text).toContain(`keyServerUrl: 'https://keys.example'`);
  expect(text).toContain(`{ contentId: 'film' }`);
});
