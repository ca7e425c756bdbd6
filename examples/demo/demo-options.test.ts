import { expect, it } from 'vitest';
import { readOptions } from './demo-options.ts';

const own = ['--server', 'http://localhost:4100/', '--content-id', 'film', '--video', 'out/master.m3u8'];

it('the pages have the port that the documents name, and a check a free one', () => {
  expect(readOptions([])).toEqual({ check: false, port: 4170, server: undefined });
  expect(readOptions(['--check'])).toEqual({ check: true, port: 0, server: undefined });
  expect(readOptions(['--port', '0']).port).toBe(0);
});

it('a server of your own is read without the slash at its end', () => {
  const server = { url: 'http://localhost:4100', contentId: 'film', playlistFile: 'out/master.m3u8' };
  expect(readOptions(own)).toEqual({ check: false, port: 4170, server });
});

it.each([
  [['--port', '65536'], /--port "65536"; accepted: .* 65535/],
  [['--port', 'x'], /--port/],
  [['--server', 'http://localhost:4100'], /go together/],
  [['--video', 'out/master.m3u8'], /go together/],
  [['--server', 'localhost', ...own.slice(2)], /--server "localhost"; accepted: an http or https URL/],
  [['--check', ...own], /--check uses a server of its own/],
])('the arguments %j are refused with a message about the accepted forms', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
