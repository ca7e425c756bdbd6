import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createManualClock } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import { type Answer, answerProblem, startKeyServer } from '../testing/key-server.ts';
import { apiKey, apiKeyEnv, runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const startsAt = Date.UTC(2026, 0, 1);
const clockPeriods = {
  mode: 'clock',
  origin: '2026-01-01T00:00:00.000Z',
  periodSeconds: 10,
  ahead: 1,
  behind: null,
};

interface Server {
  keyPeriods?: unknown;
  keyEndpoint?: string;
  /** Milliseconds by which the server's clock is ahead of the command's clock. */
  aheadMs?: number;
  answerKey?: Answer;
}

/** Runs the command until its clock has moved for a second. */
async function run(server: Server, ...more: string[]) {
  const { keyPeriods = clockPeriods, keyEndpoint = '/keys/live', aheadMs = 0, answerKey } = server;
  const clock = createManualClock(startsAt + 25_000);
  const date = new Date(clock.now() + aheadMs).toUTCString();
  const started = await startKeyServer((request, response, n) => {
    response.setHeader('date', date);
    if (!request.url?.startsWith('/api/')) {
      return answerKey ? answerKey(request, response, n) : void response.end(Buffer.alloc(16, 7));
    }
    response.end(JSON.stringify({ content: { status: 'active', keyPeriods }, key_endpoint: keyEndpoint }));
  });
  const file = join(temporaryFolder(), 'live.keyinfo');
  const ending = new AbortController();
  const args = ['key-info', '--content-id', 'live', '--follow', file, '--server', started.url];
  const result = await runCommand([...args, ...more], {
    env: apiKeyEnv,
    clock,
    signal: ending.signal,
    async wait(seconds) {
      clock.advance(seconds * 1_000);
      if (clock.now() >= startsAt + 26_000) ending.abort(new Error('interrupted'));
    },
  });
  const read = () => readFileSync(file, 'utf8').split('\n');
  return { ...result, ...started, file, read };
}

describe('latchkey key-info', () => {
  it('key-info writes the key of now with the API key, says where players fetch keys, and ends with 0 when it is interrupted', async () => {
    const { exitCode, stdout, stderr, seen, file, read, url } = await run({});
    expect([exitCode, stderr]).toEqual([0, '']);
    const [uri, keyPath, iv] = read();
    expect([uri, keyPath]).toEqual([`${url}/keys/live/2`, `${file}.2.key`]);
    expect(iv).toMatch(/^[0-9a-f]{32}$/);
    expect(readFileSync(`${file}.2.key`)).toEqual(Buffer.alloc(16, 7));
    expect(stdout).toContain(`Players fetch ${url}/keys/live/<epoch>.`);
    expect(seen.slice(0, 2).map(({ line }) => line)).toEqual([
      'GET /api/v1/content/live',
      'GET /keys/live/2',
    ]);
    for (const { authorization } of seen) expect(authorization).toBe(`Bearer ${apiKey}`);
  });

  it('the key URL comes from --key-url, else from the PUBLIC_URL of the server', async () => {
    const keyEndpoint = 'https://public.example/keys/live';
    expect((await run({ keyEndpoint })).read()[0]).toBe(`${keyEndpoint}/2`);
    const given = await run({ keyEndpoint }, '--key-url', 'https://given.example/base/');
    expect(given.read()[0]).toBe('https://given.example/base/keys/live/2');
  });

  it.each([
    [0, 2, ''],
    [1_000, 2, ''],
    [-2_000, 2, ''],
    [60_000, 8, 'is 60.5 s behind the server'],
    [-20_000, 0, 'is 19.5 s ahead of the server'],
  ])(
    'with a server whose clock is %i ms ahead, the key belongs to epoch %i',
    async (aheadMs, epoch, warning) => {
      const { read, stderr, url } = await run({ aheadMs });
      expect(read()[0]).toBe(`${url}/keys/live/${epoch}`);
      if (warning) expect(stderr).toContain(warning);
      else expect(stderr).toBe('');
    },
  );

  it.each([
    [{ keyPeriods: null }, /has no key periods; accepted: mode "clock"/],
    [
      { keyPeriods: { mode: 'sequence', count: 5, periodSeconds: 6 } },
      /has key periods with mode "sequence"/,
    ],
  ])('a content with %j is refused with the accepted form', async (server, message) => {
    const { exitCode, stderr } = await run(server);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('a key that the server refuses at the start ends the command with its reason, and without the API key in the message', async () => {
    const { exitCode, stderr } = await run({
      answerKey: (_, response) =>
        answerProblem(response, 403, 'INSUFFICIENT_SCOPE', 'The scope is too small.'),
    });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The scope is too small.')]);
    expect(stderr).not.toContain(apiKey);
  });

  it('"ahead" 0 is warned of, because no key can be fetched before its period', async () => {
    const { stderr, exitCode } = await run({ keyPeriods: { ...clockPeriods, ahead: 0 } });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('"ahead" of the content is 0')]);
  });

  it.each([
    [['--when-unreachable', 'wait'], /Allowed choices are keep, stop/],
    [['--key-url', 'ftp://x'], /--key-url "ftp:\/\/x"; accepted/],
    [['--content-id', 'a/b'], /--content-id "a\/b"; accepted/],
  ])('the options %j are refused with the accepted forms', async (more, message) => {
    const { exitCode, stderr } = await run({}, ...more);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
