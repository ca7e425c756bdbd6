import { expect, it } from 'vitest';
import { type Answer, answerProblem, startKeyServer } from '../testing/key-server.ts';
import { apiKey, apiKeyEnv, runCommand } from '../testing/run-command.ts';

const url = `https://keys.example/play/${'s'.repeat(43)}/index.m3u8`;
const made = {
  session: {
    id: 'lease-7',
    leaseId: 'lease-7',
    expiresAt: '2026-01-01T00:05:00.000Z',
    endsAt: '2026-01-01T06:00:00.000Z',
  },
  url,
  lease: { id: 'lease-7' },
};
const grant: Answer = (_, response) => void response.writeHead(201).end(JSON.stringify(made));

async function run(answer: Answer, ...more: string[]) {
  const { url: server, seen } = await startKeyServer(answer);
  const args = ['session', 'film', '--viewer', 'ada', '--server', server, ...more];
  return { ...(await runCommand(args, { env: apiKeyEnv })), seen };
}

it('session writes nothing but the URL to standard output, and says on standard error what it is and how it ends', async () => {
  const { exitCode, stdout, stderr, seen } = await run(grant);
  expect([exitCode, stdout]).toEqual([0, `${url}\n`]);
  expect(stderr).toMatch(/secret.*plays film as ada.*00:05:00\.000Z.*06:00:00\.000Z.*lease-7/);
  expect(stderr).not.toContain(url);
  expect(seen).toEqual([
    {
      line: 'POST /keys/sessions',
      authorization: `Bearer ${apiKey}`,
      body: JSON.stringify({ contentId: 'film', viewerId: 'ada' }),
    },
  ]);
});

it('session sends the life and the device that are given', async () => {
  const { seen } = await run(grant, '--ttl', '900', '--device', 'Living room');
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    contentId: 'film',
    viewerId: 'ada',
    ttlSeconds: 900,
    deviceId: 'Living room',
  });
});

it('session --json writes the whole answer, and nothing else', async () => {
  const { stdout, stderr } = await run(grant, '--json');
  expect([JSON.parse(stdout), stderr]).toEqual([made, '']);
});

it('a session that the server cannot make names what is missing and how to set it', async () => {
  const { exitCode, stdout, stderr } = await run((_, response) =>
    answerProblem(response, 409, 'SESSION_UNAVAILABLE', 'The content has no playlistUrl.'),
  );
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/The content has no playlistUrl\..*PUBLIC_URL.*--playlist-url <url>/s);
  expect(stderr).toContain('PATCH /api/v1/content/film');
});

it.each([
  ['NOT_FOUND', 404, /LEASE_MODE is off/],
  ['CONTENT_NOT_FOUND', 404, /No such content/],
  ['LEASE_LIMIT_REACHED', 409, /No such content/],
  ['INSUFFICIENT_SCOPE', 403, /No such content/],
])('session ends with 1 on %s, with its reason', async (code, status, message) => {
  const { exitCode, stderr } = await run((_, response) =>
    answerProblem(response, status, code, 'No such content.'),
  );
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(stderr).not.toContain(apiKey);
});

it.each([
  [['--ttl', '0'], /whole number/],
  [['--ttl', '5m'], /whole number/],
  [['--server', 'ftp://x'], /--server "ftp:\/\/x"; accepted/],
])('session refuses %j before any request', async (more, message) => {
  const { exitCode, stderr, seen } = await run(grant, ...more);
  expect([exitCode, stderr, seen]).toEqual([2, expect.stringMatching(message), []]);
});

it('session needs a viewer and a server', async () => {
  const env = apiKeyEnv;
  expect(await runCommand(['session', 'film', '--server', 'http://x'], { env })).toMatchObject({
    exitCode: 2,
  });
  const { stderr } = await runCommand(['session', 'film', '--viewer', 'ada'], { env });
  expect(stderr).toContain('session needs --server <url>');
});
