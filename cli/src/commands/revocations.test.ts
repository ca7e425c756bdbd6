import { join } from 'node:path';
import { createManualClock } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { listen } from '../testing/listen.ts';
import { apiKeyEnv, runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';

const noon = '2026-11-23T12:00:00.000Z';
const key = { kind: 'api-key', id: null };

function line(revocation: object | null, more: object = {}): string {
  const facts = { level: 'info', time: noon, requestId: 'r1', method: 'POST', path: '/keys/leases/revoke' };
  const rest = { route: '/keys/leases/revoke', status: 200, principal: key, code: null };
  return `${JSON.stringify({ ...facts, ...rest, ...more, ...(revocation && { revocation }) })}\n`;
}

async function list(log: string, args: readonly string[] = [], since = noon) {
  const folder = writeFiles(temporaryFolder(), { 'log.jsonl': log });
  const file = join(folder, 'log.jsonl');
  const ran = await runCommand(['revocations', '--since', since, ...args, file], {
    env: apiKeyEnv,
    clock: createManualClock(Date.parse(noon)),
  });
  const requests = ran.stdout
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));
  return { ...ran, requests, file };
}

test('revocations lists each kind as the request that makes it again, revocations of API keys last', async () => {
  const { exitCode, requests } = await list(
    [
      line({ apiKeyId: 'k' }, { method: 'DELETE', path: '/api/v1/api-keys/k' }),
      line({ viewerId: 'ann' }),
      line({ viewerId: 'ann', contentId: 'film' }),
      line({ leaseId: 'l', viewerId: 'bob', contentId: 'film' }),
      line({ contentId: 'film' }),
      line({ contentId: 'film', contentStatus: 'disabled' }),
      line({ viewerId: 'a/b', viewerStatus: 'blocked' }),
      line({ viewerId: 'eve', viewerStatus: 'blocked', blockedUntil: '2999-01-01T00:00:00.000Z' }),
      line({ viewerId: 'joe', viewerStatus: 'blocked', blockedUntil: noon }),
      line({ viewerId: 'sue', viewerStatus: 'blocked' }),
      line({ viewerId: 'sue', viewerStatus: 'unblocked' }),
    ].join(''),
  );
  const made = { at: noon, requestId: 'r1' };
  const revoke = { ...made, method: 'POST', path: '/keys/leases/revoke' };
  expect([exitCode, requests]).toEqual([
    0,
    [
      { ...revoke, body: { viewerId: 'ann' } },
      { ...revoke, body: { viewerId: 'ann', contentId: 'film' } },
      { ...revoke, body: { leaseId: 'l' }, bodyWithoutLease: { viewerId: 'bob', contentId: 'film' } },
      { ...revoke, body: { contentId: 'film' } },
      { ...made, method: 'DELETE', path: '/api/v1/content/film' },
      { ...made, method: 'PUT', path: '/api/v1/viewers/a%2Fb/block', body: {} },
      {
        ...made,
        method: 'PUT',
        path: '/api/v1/viewers/eve/block',
        body: { until: '2999-01-01T00:00:00.000Z' },
      },
      { ...revoke, body: { viewerId: 'joe' } },
      { ...revoke, body: { viewerId: 'sue' } },
      { ...made, method: 'DELETE', path: '/api/v1/api-keys/k' },
    ],
  ]);
});

test('revocations leaves out earlier lines, releases by viewers, and contents that are active again, whatever the order of the lines', async () => {
  const later = '2026-11-23T13:00:00.000Z';
  const { exitCode, requests, stderr } = await list(
    [
      line({ contentId: 'film', contentStatus: 'active' }, { time: later }),
      line({ contentId: 'film', contentStatus: 'disabled' }),
      line({ viewerId: 'early' }, { time: '2026-11-23T11:59:59.999Z' }),
      line({ leaseId: 'l' }, { principal: { kind: 'viewer', id: 'ann' } }),
      line(null, { path: '/keys/film', route: '/keys/:contentId', method: 'GET' }),
      'what a program said on standard output\n',
    ].join(''),
  );
  expect([exitCode, requests]).toEqual([0, []]);
  expect(stderr).toContain('1 leases that viewers released');
});

test('revocations reads lines behind the prefix of a collector, and an act whose client left before the answer', async () => {
  const { requests } = await list(`gateway-1  | ${line({ viewerId: 'ann' }, { status: 499 })}`);
  expect(requests).toMatchObject([{ body: { viewerId: 'ann' } }]);
});

test.each([
  ['that hides the viewer', line({ viewerIdHash: '0123456789ab' })],
  ['that was cut off', line({ viewerId: 'ann' }).slice(0, -20)],
])('a line %s is named by its number and fails the command, after the rest was listed', async (_, odd) => {
  const { exitCode, requests, stderr, file } = await list(line({ viewerId: 'bob' }) + odd);
  expect([exitCode, requests]).toMatchObject([1, [{ body: { viewerId: 'bob' } }]]);
  expect(stderr).toContain(`${file}:2`);
});

test('a refused revocation needs none', async () => {
  const { exitCode, requests } = await list(line(null, { status: 403, code: 'INSUFFICIENT_SCOPE' }));
  expect([exitCode, requests]).toEqual([0, []]);
});

test('--redo sends each request, and the mark of a lease that the restored database does not have', async () => {
  const received: string[] = [];
  const url = await listen(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    received.push(`${request.method} ${request.url} ${body}`);
    const isUnknown = body.includes('leaseId') || request.url?.startsWith('/api/v1/content/');
    const json = JSON.stringify(isUnknown ? { code: 'LEASE_NOT_FOUND' } : {});
    response.writeHead(isUnknown ? 404 : 200, { 'content-type': 'application/json' }).end(json);
  });
  const log = [
    line({ leaseId: 'l', viewerId: 'bob', contentId: 'film' }),
    line({ contentId: 'gone', contentStatus: 'disabled' }),
  ];
  const { exitCode, stderr } = await list(log.join(''), ['--redo', '--server', url]);
  expect(received).toEqual([
    'POST /keys/leases/revoke {"leaseId":"l"}',
    'POST /keys/leases/revoke {"viewerId":"bob","contentId":"film"}',
    'DELETE /api/v1/content/gone ',
  ]);
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringContaining('2 revocations in 2 lines of that time, all made again'),
  ]);
});

test.each([
  ['a time without an offset', ['--since', '2026-11-23T12:00:00', 'x'], '--since'],
  ['a file that is not there', ['--since', noon, '/nowhere/log'], '/nowhere/log'],
])('revocations refuses %s', async (_, args, word) => {
  const { exitCode, stderr } = await runCommand(['revocations', ...args]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(word)]);
});
