import { expect, it } from 'vitest';
import { readOptions } from './example-options.ts';

const own = ['--server', 'http://localhost:4100/', '--content-id', 'film', '--video', 'out/master.m3u8'];

it('without options the example makes everything, on a free port', () => {
  expect(readOptions([])).toEqual({ help: false, check: false, port: 0, server: undefined });
});

it('with a server of your own the pages have a fixed port, which its CORS_ORIGINS can name', () => {
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
])('the arguments %j of the example are refused with a message about the accepted forms', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
