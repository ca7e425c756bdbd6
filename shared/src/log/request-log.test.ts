import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeTestFolder } from '../testing/test-folder.ts';
import { createHidePersons, shortenAddress } from './hide-persons.ts';
import type { RequestLine } from './request-line.ts';
import { createRequestLog } from './request-log.ts';

let file: string;
beforeEach(() => {
  file = join(makeTestFolder(), 'log');
});

const line: RequestLine = {
  requestId: 'r-1',
  method: 'GET',
  path: '/keys/a',
  route: '/keys/:contentId',
  status: 200,
  durationMs: 1.5,
  clientIp: '203.0.113.7',
  userAgent: 'a "quoted"\nagent',
  principal: { kind: 'viewer', id: 'alice' },
  code: null,
};

test('every request is one line of JSON in its turn, with time and level, and all are there after a flush', async () => {
  const log = createRequestLog('info', openSync(file, 'w'));
  log.write(line);
  for (let i = 1; i <= 2_000; i++) log.write({ ...line, requestId: `r-${i}`, status: 500, code: 'INTERNAL' });
  await log.flush();
  const written = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(written[0]).toEqual({ ...line, level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(written[1]).toMatchObject({ level: 'error', status: 500, code: 'INTERNAL' });
  const ids = Array.from({ length: 2_000 }, (_, i) => `r-${i + 1}`);
  expect(written.slice(1).map(({ requestId }) => requestId)).toEqual(ids);
});

test('every request line names its service, version and instance, and names the trace and the failure only if it has them', async () => {
  const identity = { service: 'gateway', version: '1.2.3', instance: 'pod"7-12' };
  const log = createRequestLog('info', openSync(file, 'w'), { identity });
  const failure = { cause: 'connect ECONNREFUSED', upstream: 'leases', tries: 2 };
  log.write(line);
  log.write({ ...line, status: 503, traceId: '4bf92f3577b34da6a3ce929d0e0e4736', failure });
  await log.flush();
  const [served, failed] = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(served).toEqual({ ...line, ...identity, level: 'info', time: expect.any(String) });
  expect(failed).toMatchObject({
    ...identity,
    level: 'error',
    failure,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  });
});

test.each([
  [{ clientIp: 'short', viewerId: 'full' }, '203.0.113.0', 'alice'],
  [{ clientIp: 'none', viewerId: 'hash' }, null, '2bd806c97f0e'],
  [{ clientIp: 'full', viewerId: 'none' }, '203.0.113.7', null],
] as const)('request lines with %j show the address as %j and the viewer as %j', (detail, address, id) => {
  const hide = createHidePersons(detail);
  expect(hide?.(line)).toMatchObject({ clientIp: address, principal: { kind: 'viewer', id } });
  const ofKey = { kind: 'api-key', id: 'k-1' } as const;
  expect(hide?.({ ...line, principal: ofKey }).principal).toEqual(ofKey);
});

test('a viewer that is hidden is hidden in the path of its block, too', () => {
  const path = '/api/v1/viewers/alice%2Fb/block';
  expect(createHidePersons({ clientIp: 'full', viewerId: 'hash' })?.({ ...line, path }).path).toBe(
    '/api/v1/viewers/***/block',
  );
  expect(createHidePersons({ clientIp: 'none', viewerId: 'full' })?.({ ...line, path }).path).toBe(path);
  for (const other of ['/api/v1/viewers/blocks', '/api/v1/viewers?prefix=***', '/keys/film/3'])
    expect(createHidePersons({ clientIp: 'full', viewerId: 'none' })?.({ ...line, path: other }).path).toBe(
      other,
    );
});

test.each([
  ['203.0.113.7', '203.0.113.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
  ['2001:db8::6', '2001:db8::'],
  ['::1', '::'],
])('the shortened form of the address %s is %s', (address, shortened) => {
  expect(shortenAddress(address)).toBe(shortened);
});

test('a line after the end of the log is dropped, and a second end returns the first one', async () => {
  const log = createRequestLog('info', openSync(file, 'w'));
  log.write(line);
  await Promise.all([log.flush(), log.flush()]);
  log.write(line);
  await log.flush();
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

test('a log without lines ends at once', async () => {
  await createRequestLog('info', openSync(file, 'w')).flush();
});

test('a reader of the log that went away ends neither the server nor its end', async () => {
  const program = `
    import { createRequestLog } from ${JSON.stringify(new URL('./request-log.ts', import.meta.url).href)};
    process.stdin.once('data', async () => {
      const log = createRequestLog('info', 1);
      for (let i = 0; i < 500; i++) log.write(${JSON.stringify(line)});
      await log.flush();
      process.stderr.write('ended');
      process.exit(0);
    });
    process.stderr.write('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
    // The pipe has to be closed before the first line.
    if (output.endsWith('ready')) {
      child.stdout.destroy();
      child.stdin.write('go');
    }
  });
  // Its last output may come after its exit.
  const [code] = await once(child, 'close');
  expect([code, output]).toEqual([0, 'readyended']);
});
