import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openFile } from './node.ts';
import { commonPorts, type Ports } from './ports.ts';
import { putWithFetch } from './put-in-browser.ts';
import { putWithHttp } from './put-with-http.ts';
import { textFile, uploadHere } from './testing/upload-here.ts';
import type { UploadFile } from './upload-options.ts';
import type { UploadProgress } from './upload-progress.ts';

vi.setConfig({ testTimeout: 120_000 });
/** Larger than what the sockets on both sides hold. */
const large = Buffer.alloc(24 * 1024 * 1024, 'latchkey');

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type AnswerPut = (request: IncomingMessage, response: ServerResponse, n: number) => void;

/** Reads an upload to its end and acknowledges it with its hash. */
const acknowledge: AnswerPut = async (request, response) => {
  const hash = createHash('sha256');
  for await (const chunk of request) hash.update(chunk);
  response.writeHead(200, { etag: `"${hash.digest('hex')}"` }).end();
};

/** A key server and a store, each a server on loopback. */
async function startServers(answerPut: AnswerPut = acknowledge, lifetimeMs = 300_000) {
  const puts: IncomingMessage[] = [];
  const presigns: { key: string }[] = [];
  const store = await listen((request, response) => {
    puts.push(request);
    answerPut(request, response, puts.length - 1);
  });
  const keyServerUrl = await listen(async (request, response) => {
    const body = (await json(request)) as { key: string; contentType: string; contentLength: number };
    presigns.push(body);
    const headers = { 'Content-Type': body.contentType, 'Content-Length': String(body.contentLength) };
    response.end(
      JSON.stringify({
        url: `${store}/${body.key}?n=${presigns.length}`,
        method: 'PUT',
        headers,
        expires_at: new Date(Date.now() + lifetimeMs).toISOString(),
      }),
    );
  });
  return { keyServerUrl, puts, presigns };
}

function makePorts(put = putWithHttp): { ports: Ports; waits: number[] } {
  const waits: number[] = [];
  // Pauses are skipped; the stall limits (30 s and more) are real.
  const wait: Ports['wait'] = async (ms, signal) => {
    if (ms >= 30_000) return commonPorts.wait(ms, signal);
    waits.push(ms);
  };
  return { ports: { ...commonPorts, put, wait }, waits };
}

const hashOf = (bytes: Uint8Array) => `"${createHash('sha256').update(bytes).digest('hex')}"`;
const largeFile = { path: 'large.ts', data: new Blob([large]) };

it.each([
  ['as a stream', putWithHttp],
  ['as a Blob', putWithFetch],
])('an upload %s sends every byte, with the length and the type that were signed', async (_, put) => {
  const { keyServerUrl, puts } = await startServers();
  const files = [
    largeFile,
    textFile('empty.ts', ''),
    { path: 'a b/ü.vtt', data: () => new Blob(['WEBVTT']).stream(), size: 6 },
  ];
  const result = await uploadHere(files, makePorts(put).ports, { keyServerUrl, concurrency: 1 });
  expect(result.files.map(({ etag }) => etag)).toEqual(
    [large, Buffer.of(), Buffer.from('WEBVTT')].map(hashOf),
  );
  expect(
    puts.map(({ method, url, headers }) => [
      method,
      url?.split('?')[0],
      headers['content-length'],
      headers['content-type'],
      headers['transfer-encoding'],
    ]),
  ).toEqual([
    ['PUT', '/content/film/large.ts', String(large.length), 'video/mp2t', undefined],
    ['PUT', '/content/film/empty.ts', '0', 'video/mp2t', undefined],
    ['PUT', '/content/film/a%20b/%C3%BC.vtt', '6', 'text/vtt', undefined],
  ]);
});

it('progress has many steps and never decreases, although the first attempt breaks in the middle', async () => {
  let received = 0;
  const { keyServerUrl, presigns } = await startServers((request, response, n) => {
    if (n > 0) return acknowledge(request, response, n);
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > large.length / 2) request.socket.destroy();
    });
  });
  const reports: UploadProgress[] = [];
  const result = await uploadHere([largeFile], makePorts().ports, {
    keyServerUrl,
    onProgress: (p) => reports.push(p),
  });
  expect(result.files[0]).toMatchObject({ status: 'uploaded', attempts: 2, etag: hashOf(large) });
  expect(presigns).toHaveLength(2);
  const loaded = reports.map(({ loadedBytes }) => loadedBytes);
  expect(loaded.length).toBeGreaterThan(20);
  expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  expect(loaded.at(-1)).toBe(large.length);
});

it('a refusal before the end of the body is noticed, and a fresh URL is requested', async () => {
  const { keyServerUrl, puts } = await startServers((request, response, n) => {
    if (n > 0) return acknowledge(request, response, n);
    response.writeHead(403, { connection: 'close' }).end('<Error><Code>AccessDenied</Code></Error>');
    request.resume();
  });
  const result = await uploadHere([largeFile], makePorts().ports, { keyServerUrl });
  expect(result.files[0]).toMatchObject({ status: 'uploaded', attempts: 2 });
  expect(puts.map(({ url }) => url?.slice(-4))).toEqual(['?n=1', '?n=2']);
});

it('aborting closes the connection of a running request', async () => {
  const controller = new AbortController();
  let closed: Promise<unknown> | undefined;
  const { keyServerUrl } = await startServers((request) => {
    closed = new Promise((resolve) => request.on('close', resolve).on('error', () => {}));
    request.once('data', () => controller.abort());
  });
  const result = await uploadHere([largeFile], makePorts().ports, {
    keyServerUrl,
    signal: controller.signal,
  });
  expect(result.files[0]).toMatchObject({ status: 'aborted', attempts: 1 });
  await closed;
});

it('only the key server gets the token, and not after a redirect', async () => {
  const seen: string[] = [];
  const other = await listen((_, response) => {
    seen.push('elsewhere');
    response.end();
  });
  const redirecting = await listen((request, response) => {
    seen.push(request.headers.authorization ?? '');
    response.writeHead(307, { location: other }).end();
  });
  const { files } = await uploadHere([textFile('a.ts')], makePorts().ports, {
    keyServerUrl: redirecting,
    attempts: 1,
  });
  expect(files[0]?.error?.code).toBe('PRESIGN_UNAVAILABLE');
  expect(seen).toEqual(['Bearer token']);

  const { keyServerUrl, puts } = await startServers();
  await uploadHere([textFile('a.ts')], makePorts().ports, { keyServerUrl });
  expect(puts[0]?.headers.authorization).toBeUndefined();
});

/** A file on disk. */
async function makeFile(bytes: Buffer): Promise<{ path: string; file: UploadFile }> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-uploader-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.ts');
  writeFileSync(path, bytes);
  return { path, file: await openFile(path, 'a.ts') };
}

/** A key server whose store counts the requests that reach it to their end. */
async function startCounting(onFirstData = () => {}) {
  const counted = { whole: 0 };
  const servers = await startServers((request, response) => {
    request.once('data', onFirstData);
    request
      .on('error', () => {})
      .on('end', () => {
        counted.whole += 1;
        response.end();
      });
    request.resume();
  });
  return { ...servers, counted };
}

const other = (path: string) => Buffer.alloc(statSync(path).size, 'another');
const overwrite = (path: string) => writeFileSync(path, other(path), { flag: 'r+' });
const grow = (path: string) => appendFileSync(path, 'more');
const shorten = (path: string) => truncateSync(path, statSync(path).size - 8);
const overwriteAndSetTimeBack = (path: string) => {
  const { atimeMs, mtimeMs } = statSync(path);
  overwrite(path);
  utimesSync(path, atimeMs / 1_000, mtimeMs / 1_000);
};
const replace = (path: string) => {
  writeFileSync(`${path}.new`, other(path));
  renameSync(`${path}.new`, path);
};

it.each([
  ['is overwritten', overwrite],
  ['is overwritten, and its time set back,', overwriteAndSetTimeBack],
  ['grows', grow],
  ['becomes shorter', shorten],
  ['is replaced by another one', replace],
])(
  'a file on disk that %s while it is sent fails with READ_FAILED after one attempt, and the store never has all of it',
  async (_, change) => {
    const { path, file } = await makeFile(large);
    const { keyServerUrl, counted } = await startCounting(() => change(path));
    const { files, complete } = await uploadHere([file], makePorts().ports, { keyServerUrl });
    expect(files[0]).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'READ_FAILED' } });
    expect([complete, counted.whole]).toEqual([false, 0]);
  },
);

// Time and size are all that is known of a file before it is opened.
it.each([
  ['is overwritten', overwrite],
  ['grows', grow],
  ['becomes shorter', shorten],
])('a file on disk that %s before it is sent is not sent at all', async (_, change) => {
  const { path, file } = await makeFile(Buffer.from('picture and sound'));
  change(path);
  const { keyServerUrl, puts } = await startServers();
  const { files } = await uploadHere([file], makePorts().ports, { keyServerUrl });
  expect(files[0]).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'READ_FAILED' } });
  expect(puts.every((request) => !request.complete)).toBe(true);
});

it.each([
  ['longer', [large, Buffer.from('more')]],
  ['shorter', [large.subarray(0, 1_000_000)]],
])(
  'a stream that is %s than its size fails with READ_FAILED, and the store never has all of it',
  async (_, pieces) => {
    const { keyServerUrl, counted } = await startCounting();
    const data = () => new Blob(pieces as Buffer<ArrayBuffer>[]).stream();
    const file = { path: 'a.ts', data, size: large.length };
    const { files } = await uploadHere([file], makePorts().ports, { keyServerUrl });
    expect(files[0]).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'READ_FAILED' } });
    expect(counted.whole).toBe(0);
  },
);
