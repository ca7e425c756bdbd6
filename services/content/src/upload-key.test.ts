import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxUploadKeyBytes, readUploadKey } from './routes/presign.ts';

const refused = (key: string) => {
  try {
    readUploadKey(key);
    return null;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('an upload key', () => {
  test.each([
    'content/film/master.m3u8',
    'content/Film_-9/1080p/0001.ts',
    'content/film/...',
    'content/film/Größe 1+2 (neu)~!*\'"&=?#[]@:;,$.ts',
    'content/film/a%20b%zz%2',
  ])('the upload key %j names an object of its content', (key) => {
    expect(readUploadKey(key)).toEqual({ contentId: key.split('/')[1] });
  });

  test.each([
    '',
    'content',
    'content/film',
    'content//x',
    'content/leases/x',
    'content/f.ilm/x',
    `content/${'f'.repeat(257)}/x`,
    '/content/film/x',
    'contents/film/x',
    'content\\film\\x',
  ])('the upload key %j is refused: it does not start with content/<contentId>/', (key) => {
    expect(refused(key)).toBe('VALIDATION_FAILED');
  });

  test.each([
    'content/film/',
    'content/film//x',
    'content/film/x/',
    'content/film/./x',
    'content/film/..',
    'content/film/../other/x',
    'content/film/%2e%2e/other/x',
    'content/film/..%2fother/x',
    'content/film/a%2f%2fb',
    'content/film/%252e%252e/other/x',
    'content/film/..\\other\\x',
    'content/film/..%5cother',
    'content/film/a%255cb',
  ])('the upload key %j is refused: it names another folder, by itself or once decoded', (key) => {
    expect(refused(key)).toBe('VALIDATION_FAILED');
  });

  test.each(['\0', '\n', '\r', '\t', '\x1b', '\x7f', '\x85', '\ud800', '%00', '%0a', '%7F', '%250d'])(
    'an upload key that contains %j is refused',
    (text) => {
      expect(refused(`content/film/a${text}b`)).toBe('VALIDATION_FAILED');
    },
  );

  test('an upload key may have 1,024 bytes of UTF-8, whatever the number of characters', () => {
    const start = 'content/film/';
    const room = maxUploadKeyBytes - start.length;
    expect(refused(start + 'a'.repeat(room))).toBeNull();
    expect(refused(start + 'a'.repeat(room + 1))).toBe('VALIDATION_FAILED');
    expect(refused(start + '🎬'.repeat(Math.floor(room / 4)))).toBeNull();
    expect(refused(start + '🎬'.repeat(Math.ceil((room + 1) / 4)))).toBe('VALIDATION_FAILED');
  });

  test('an accepted upload key stays in the folder of its content, however often it is decoded', () => {
    const piece = fc.oneof(
      fc.constantFrom(...'. .. / \\ % 2e 2E %2e %2f %5c %25 %00 a content/other/'.split(' ')),
      // Half of a surrogate pair is one of them. The unit `binary` would first list all code points, for three seconds.
      fc.constantFrom('\ud800', '\udc00', '\ufeff', '\u2028', '\u{10ffff}'),
      { arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 4 }), weight: 2 },
      { arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }), weight: 1 },
    );
    const keys = fc
      .array(piece, { minLength: 1, maxLength: 12 })
      .map((pieces) => `content/film/${pieces.join('')}`);
    fc.assert(
      fc.property(keys, fc.nat(6), (key, times) => {
        // About half of them. `fc.pre` would throw for each, which takes longer than the rest.
        if (refused(key) !== null) return;
        let path = key;
        for (let n = 0; n < times; n++) path = decodeLeniently(path);
        // As a browser, a proxy and a file system would: backslashes are slashes, dots are folded.
        const { pathname } = new URL(path.replaceAll('?', '%3f').replaceAll('#', '%23'), 'http://store/');
        expect(pathname.startsWith('/content/film/')).toBe(true);
        expect(pathname).not.toContain('//');
      }),
      { numRuns: 1_000 },
    );
  });

  test('an upload key of harmless segments is always accepted, and names its content', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => !/[/\\%\p{Cc}]/u.test(text) && text.isWellFormed() && text !== '.' && text !== '..');
    const contentId = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/).filter((id) => id !== 'leases');
    fc.assert(
      fc.property(contentId, fc.array(segment, { minLength: 1, maxLength: 5 }), (id, segments) => {
        expect(readUploadKey(['content', id, ...segments].join('/'))).toEqual({ contentId: id });
      }),
    );
  });
});

/** Decodes what can be decoded and leaves the rest. */
function decodeLeniently(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
}
