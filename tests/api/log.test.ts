import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import type { Answer } from '@latchkey/support/black-box/answer';
import { findLine, lineMembers, secretsIn } from '@latchkey/support/black-box/request-lines';
import { createApiKey, makeScene } from '@latchkey/support/black-box/server-actions';
import { masterKeyHex, openShared, saltHex, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const server = await openShared('plain');
const { client, adminApiKey: admin, jwtSecret } = server;

const lineOf = ({ requestId }: Answer) => findLine(server.process, requestId);

it('the log line of a request has the members of the contract, and no failure when it was served', async () => {
  const { contentId, token, viewerId } = await makeScene(server);
  const line = await lineOf(
    await client.get(`/keys/${contentId}?CMCD=ot%3Dk`, token, { 'user-agent': 'hls.js/1.7' }),
  );
  expect(Object.keys(line).sort()).toEqual(lineMembers.toSorted());
  expect(line).toMatchObject({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    level: 'info',
    method: 'GET',
    path: expect.stringMatching(new RegExp(`^/keys/${contentId}\\?CMCD=[^o]*$`)),
    route: expect.stringMatching(/^\/keys\/[:{]contentId}?$/),
    status: 200,
    durationMs: expect.any(Number),
    clientIp: server.peer,
    userAgent: 'hls.js/1.7',
    principal: { kind: 'viewer', id: viewerId },
    code: null,
  });
});

it('log lines with LOG_CLIENT_IP and LOG_VIEWER_ID show neither the address nor the id of a viewer', async () => {
  // Its own, because other tests look for addresses and viewers in the log.
  const reduced = await startServer({ LOG_CLIENT_IP: 'short', LOG_VIEWER_ID: 'hash' });
  const { contentId, token, viewerId } = await makeScene(reduced);
  const { requestId } = await reduced.client.get(`/keys/${contentId}`, token);
  const line = await findLine(reduced.process, requestId);
  const hash = createHash('sha256').update(viewerId).digest('hex').slice(0, 12);
  expect(line.principal).toEqual({ kind: 'viewer', id: hash });
  expect(line.clientIp).toMatch(/(\.0|::)$/);
  expect(JSON.stringify(line)).not.toContain(viewerId);
});

it('the log line names the API key of the request, or the bootstrap key', async () => {
  const { id, raw } = await createApiKey(server, 'playback');
  const line = await lineOf(await client.get('/api/v1/content', raw));
  expect(line.principal).toEqual({ kind: 'api-key', id });
  const other = await lineOf(await client.get('/api/v1/content', admin));
  expect(other.principal).toMatchObject({ id: null });
});

it.each([
  ['GET', '/keys/x', 401, 'UNAUTHENTICATED'],
  ['GET', '/nowhere?token=abc', 404, 'NOT_FOUND'],
  ['PUT', '/health', 405, 'METHOD_NOT_ALLOWED'],
  ['POST', '/api/v1/content', 401, 'UNAUTHENTICATED'],
])('the log line of %s %s has its status and code', async (method, path, status, code) => {
  const line = await lineOf(await client.call(method, path));
  expect(line).toMatchObject({
    method,
    status,
    code,
    principal: null,
    path: expect.not.stringContaining('abc'),
  });
});

it('line breaks and quotes in a request cannot break its log line', async () => {
  const answer = await client.get('/keys/%0A%7B%22level%22%3A%22error%22%7D?a=%0A', undefined, {
    'user-agent': 'a"b\\c',
  });
  expect(await lineOf(answer)).toMatchObject({ userAgent: 'a"b\\c' });
});

it('a request with a fragment gets 400, and the log line hides the fragment', async () => {
  const { contentId, token } = await makeScene(server);
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const id = unique('fragment');
  socket.write(
    `GET /keys/${contentId}#access_token=${token} HTTP/1.1\r\nhost: a\r\nx-request-id: ${id}\r\n` +
      `authorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
  );
  const text = (await socket.setEncoding('latin1').toArray()).join('');
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('VALIDATION_FAILED');
  expect(await findLine(server.process, id)).toMatchObject({ status: 400, path: `/keys/${contentId}#***` });
});

it('text that is not HTTP gets a 400 and is logged, and the server goes on', async () => {
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.end('NONSENSE\r\n\r\n');
  const text = (await socket.setEncoding('latin1').toArray()).join('');
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  const [, id = ''] = /^x-request-id: (\S+)/im.exec(text) ?? [];
  expect(await findLine(server.process, id)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  expect((await client.get('/health')).status).toBe(200);
});

it('the log contains no credential, valid or not, no raw key and no key material', async () => {
  const { contentId, token } = await makeScene(server);
  const forged = viewerToken(Buffer.alloc(32), unique('viewer'));
  const { raw } = await createApiKey(server, 'full');
  const strange = unique('not-a-credential-of-any-kind');
  const last = [];
  for (const credential of [admin, raw, token, forged, `lk_${'5'.repeat(64)}`, strange])
    last.push(await client.get(`/keys/${contentId}`, credential));
  const key = last[0]?.bytes ?? Buffer.alloc(0);
  for (const answer of last) await lineOf(answer);
  const secrets = [
    ...client.credentials,
    masterKeyHex,
    saltHex,
    jwtSecret.toString(),
    key.toString('base64'),
  ];
  expect(secrets.length).toBeGreaterThan(8);
  expect(secretsIn(server.process.stdout() + server.process.stderr(), secrets)).toEqual([]);
  // Nor parts of tokens: no signature, no claims.
  const parts = [token, forged].flatMap((text) => text.split('.').slice(1));
  expect(secretsIn(server.process.stdout() + server.process.stderr(), parts)).toEqual([]);
});
