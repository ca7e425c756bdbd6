import { expect, it } from 'vitest';
import { readOptions } from './example-options.ts';

const own = ['--server', 'http://localhost:4100/', '--content-id', 'film', '--video', 'out/master.m3u8'];

it('without options everything is made, on a free port', () => {
  expect(readOptions([])).toEqual({ help: false, check: false, port: 0, server: undefined });
});

it('beside a server of one’s own the pages are where its CORS_ORIGINS can name them', () => {
  const server = { url: 'http://localhost:4100', contentId: 'film', playlistFile: 'out/master.m3u8' };
  expect(readOptions(own)).toEqual({ help: false, check: false, port: 4170, server });
  expect(readOptions([...own, '--port', '8000']).port).toBe(8000);
});

it.each([
  [['--port', '65536'], /--port "65536"; accepted: .* 65535/],
  [['--port', 'x'], /--port/],
  [['--server', 'http://localhost:4100'], /go together/],
  [['--video', 'out/master.m3u8'], /go together/],
  [['--server', 'localhost', ...own.slice(2)], /--server "localhost"; accepted: an http or https URL/],
  [['--fast'], /--fast/],
  [['somewhere'], /somewhere/],
])('%j is refused with what is accepted', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
