import { expect, it } from 'vitest';
import { hideUrls, showUrl } from './show-url.ts';

it.each([
  ['https://user:canary@host/a.m3u8?token=canary&b=canary#canary', 'https://***@host/a.m3u8?token=***&b=***'],
  ['HTTPS://canary@[::1]:80/x', 'HTTPS://***@[::1]:80/x'],
  ['http://u%3Acanary%40@h/', 'http://***@h/'],
  ['http://user:s canary@h:port/a?x=canary', 'http://***@h:port/a?x=***'],
  ['http://user:a/canary@host/x', 'http://***@host/x'],
  ['http://user:p?canary@host/', 'http://***@host/'],
  ['https:user:canary@h/x', 'https:***@h/x'],
  ['https:\\\\user:canary@h\\x', 'https:\\\\***@h\\x'],
  ['ht\ntps://u:canary@h', 'https://***@h'],
  ['//u:canary@h/x', '//***@h/x'],
  ['https://proxy/https://u:canary@h/x', 'https://proxy/https://***@h/x'],
  ['redis://:canary@h:6379/0', 'redis://***@h:6379/0'],
  ['seg.ts?token=canary', 'seg.ts?token=***'],
  ['seg.ts?canary', 'seg.ts?***'],
  ['seg.ts?canary==', 'seg.ts?***'],
  ['seg.ts?hdnts=exp=1~hmac=canary', 'seg.ts?hdnts=***'],
  ['seg.ts?token=***:8:', 'seg.ts?token=***:8:'],
  ['seg.ts?token=***:8:canary', 'seg.ts?token=***'],
  ['seg.ts?***:canary', 'seg.ts?***'],
  ['DATA:text/plain;base64,canary', 'data:***'],
  [' data:,canary', 'data:***'],
  ['https://host/@film/a.ts', 'https://host/@film/a.ts'],
  ['../a b/1.ts', '../a b/1.ts'],
  ['skd://asset', 'skd://asset'],
])('%j is shown as %j, also a second time', (url, shown) => {
  expect(showUrl(url)).toBe(shown);
  expect(showUrl(shown)).toBe(shown);
});

it('in the text of someone else, each URL is shown without its secrets, and the rest stays', () => {
  expect(hideUrls('no URL that includes credentials: http://u:canary@h/a')).toBe(
    'no URL that includes credentials: http://***@h/a',
  );
  expect(hideUrls('i.m3u8:5: "seg.ts?t=canary" and URI="data:;base64,canary",IV=0\nIs it there? Yes')).toBe(
    'i.m3u8:5: "seg.ts?t=***" and URI="data:***",IV=0\nIs it there? Yes',
  );
  expect(hideUrls('a,http://u:canary@h,http://u:canary@i/')).not.toContain('canary');
});

it('a text that is built to be slow takes no longer for each letter than a short one', () => {
  // By the square of its length, one of these takes longer than a test may.
  for (const part of ['a', '://', 'a://', 'data:', '?', '@', '&', 'a:', ' ']) {
    const text = part.repeat(512_000 / part.length);
    expect(hideUrls(text) + showUrl(text)).not.toBe('');
  }
});
