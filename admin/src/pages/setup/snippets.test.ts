import { expect, it } from 'vitest';
import { curlSnippet, encryptSnippet, playerSnippet, shownCurlSnippet } from './snippets.ts';

const rawKey = `lk_${'ab'.repeat(32)}`;
const facts = { origin: 'https://keys.example', contentId: 'film', rawKey };

it('the copied command has the full key, and the shown command has its prefix', () => {
  expect(curlSnippet(facts)).toContain(`LATCHKEY_API_KEY=${rawKey}\n`);
  expect(shownCurlSnippet(facts)).toContain('LATCHKEY_API_KEY=lk_abababab…\n');
});

it('every snippet names server and content, and only the curl command has the API key', () => {
  for (const text of [encryptSnippet(facts), playerSnippet(facts)]) {
    expect(text).toContain('https://keys.example');
    expect(text).not.toContain('lk_');
  }
  expect(curlSnippet(facts)).toContain('https://keys.example/keys/film');
});

it('the player snippet uses the project’s player with this server and content', () => {
  const text = playerSnippet(facts);
  expect(text).toContain(`import { createPlayer } from '@latchkey/player'`);
  expect(text).toContain(`keyServerUrl: 'https://keys.example'`);
  expect(text).toContain(`{ contentId: 'film' }`);
});
