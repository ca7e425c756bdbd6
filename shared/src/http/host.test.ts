import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHost } from './host.fixture.ts';

let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.app.close());

const ending = 'host: a\r\nconnection: close\r\n\r\n';

test('an unexpected error is a bare 500, whatever status it claims, and the log shows the cause', async () => {
  for (const path of ['/fault', ...[400, 403, 404, 409, 502].map((status) => `/status/${status}`)]) {
    const response = await fetch(host.url + path);
    const text = await response.text();
    expect([path, response.status, JSON.parse(text).code]).toEqual([path, 500, 'INTERNAL']);
    expect(text).not.toContain('hunter2');
  }
  expect(String((host.operatorLines[0] as { error: Error }).error)).toContain('hunter2');
});

test('two different lengths of one body are refused (request smuggling)', async () => {
  const both = `POST /things HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n${ending}0\r\n\r\n`;
  expect(await host.raw(both)).toContain(' 400 ');
  expect(
    await host.raw(`POST /things HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n${ending}`),
  ).toContain(' 400 ');
});

test('the request log has one line, with 499, for a client that left before its answer', async () => {
  const socket = connect(host.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
  const finish = await host.slowRequest();
  socket.destroy();
  expect(await host.linesWritten(1)).toMatchObject([{ route: '/slow', status: 499 }]);
  finish();
  await fetch(`${host.url}/things`);
  expect((await host.linesWritten(2)).map(({ route }) => route)).toEqual(['/slow', '/things']);
});

test('the request log has a line for each of several requests on one connection', async () => {
  const answer = await host.raw(`GET /things HTTP/1.1\r\nhost: a\r\n\r\nGET /none HTTP/1.1\r\n${ending}`);
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  expect((await host.linesWritten(2)).map(({ status }) => status)).toEqual([200, 404]);
});
