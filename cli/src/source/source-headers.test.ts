import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { readSourceHeaders } from './source-headers.ts';

it('headers come from the option and from the lines of a file, and the option wins', () => {
  const folder = writeFiles(temporaryFolder(), { headers: 'X-A: 1\r\n\r\nCookie:  a=1; b=2\n' });
  const file = { LATCHKEY_SOURCE_HEADERS_FILE: join(folder, 'headers') };
  expect(readSourceHeaders(['x-a: 2', 'Referer: https://a.example/'], file)).toEqual({
    'x-a': '2',
    cookie: 'a=1; b=2',
    referer: 'https://a.example/',
  });
});

it.each(['canary', 'a b: canary', ': canary', 'x: canary\r\ny: 1', 'x: canary\u{1f511}'])(
  '%j is refused without being shown',
  (text) => {
    // The whole message, so that nothing of the value can be in it.
    expect(() => readSourceHeaders([text], {})).toThrow(
      /^a header for the source has another form than "Name: value", such as "Authorization: Bearer …" \(it is not shown here\)$/,
    );
  },
);

it('a file of headers that cannot be read is named', () => {
  expect(() => readSourceHeaders([], { LATCHKEY_SOURCE_HEADERS_FILE: '/nowhere/headers' })).toThrow(
    'LATCHKEY_SOURCE_HEADERS_FILE: /nowhere/headers cannot be read (ENOENT)',
  );
});
