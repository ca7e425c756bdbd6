import { expect, test } from 'vitest';
import { parseTrustProxy } from '../net/index.ts';
import { createManualClock } from '../testing/index.ts';
import { createSetupOriginReader, type SetupCall, type SetupExceptionSettings } from './setup-origin.ts';

const port = 4100;
const minuteMs = 60_000;

/** A call by curl on this machine, with some of it changed. */
function call({
  headers = {},
  ...changed
}: Partial<Omit<SetupCall, 'socket'>> & {
  peer?: string | undefined;
  localPort?: number | undefined;
} = {}): SetupCall {
  const { peer: remoteAddress, localPort } = { peer: '127.0.0.1', localPort: port, ...changed };
  const all = { host: `localhost:${port}`, ...headers };
  const { url = '/api/v1/setup', rawHeaders = Object.entries(all).flat() as string[] } = changed;
  return { url, headers: all, rawHeaders, socket: { remoteAddress, localPort } as SetupCall['socket'] };
}

const isDirect = (from: SetupCall, settings: SetupExceptionSettings = {}) =>
  createSetupOriginReader(settings, createManualClock())(from).isDirect;

const proxyOf = (text: string) => {
  const parsed = parseTrustProxy(text);
  if (!parsed) throw new Error(text);
  return parsed;
};

test.each<[string, SetupExceptionSettings, boolean]>([
  ['development', { nodeEnv: 'development' }, true],
  ['TRUST_PROXY=false', { trustProxy: proxyOf('false') }, true],
  ['TRUST_PROXY=true', { trustProxy: proxyOf('true') }, false],
  ['TRUST_PROXY=loopback', { trustProxy: proxyOf('loopback') }, false],
])('with %s, a call from the machine itself needs no bootstrap key: %s', (_what, settings, expected) => {
  expect(isDirect(call(), settings)).toBe(expected);
});

test('ten minutes after the start, a call from the machine itself needs the bootstrap key, whatever the wall clock shows', () => {
  const clock = createManualClock();
  const originOf = createSetupOriginReader({}, clock);
  clock.advance(10 * minuteMs - 1);
  expect(originOf(call()).isDirect).toBe(true);
  clock.advance(1);
  expect(originOf(call()).isDirect).toBe(false);
  clock.setWall(0);
  expect(originOf(call()).isDirect).toBe(false);
});

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['192.0.2.1', false],
  ['::ffff:192.0.2.1', false],
  ['fe80::1', false],
  // A Unix socket, or a connection that is gone.
  [undefined, false],
])('a call from the peer %s is one of the machine itself: %s', (peer, expected) => {
  expect(isDirect(call({ peer }))).toBe(expected);
});

test.each([
  ['LOCALHOST:4100', true],
  ['127.0.0.2:4100', true],
  ['[0:0::1]:4100', true],
  ['[::ffff:127.0.0.1]:4100', true],
  ['localhost:', false],
  ['127.0.0.1:80', false],
  ['localhost:04101', false],
  ['0.0.0.0:4100', false],
  ['[::]:4100', false],
  ['evil.localhost:4100', false],
  ['localhost.:4100', false],
  ['evil@localhost:4100', false],
  ['localhost:4100/', false],
  ['localhost:4100, localhost:4100', false],
  ['', false],
  [undefined, false],
])('a call to %j is one to the machine itself on port 4100: %s', (host, expected) => {
  const from = call();
  expect(isDirect({ ...from, headers: { ...from.headers, host } })).toBe(expected);
});

test('a call to localhost without a port is one to the machine itself only on port 80', () => {
  expect(isDirect(call({ headers: { host: 'localhost' }, localPort: 80 }))).toBe(true);
  expect(isDirect(call({ headers: { host: 'localhost' }, localPort: undefined }))).toBe(false);
});

test('a call in the form for proxies, or with two hosts, is not one of the machine itself', () => {
  expect(isDirect(call({ url: 'http://keys.example.com/api/v1/setup' }))).toBe(false);
  expect(isDirect(call({ rawHeaders: ['Host', 'localhost:4100', 'HOST', 'keys.example.com'] }))).toBe(false);
});
