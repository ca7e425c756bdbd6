import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeSignature, type S3Credentials, type S3Refusal } from './s3-signature.ts';

/** A bucket for uploads and its credentials. Its objects are at `<endpoint>/<bucket>/<key>`. */
export interface S3Server extends S3Credentials {
  endpoint: string;
  bucket: string;
  close(): Promise<void>;
}

export interface S3ServerOptions {
  /** The store's current time, in milliseconds since 1970: a test of expiry sets it ahead. */
  now?: () => number;
}

/** The package has no types; these are the used ones. */
const S3rver = createRequire(import.meta.url)('s3rver') as new (
  options: Record<string, unknown>,
) => {
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
};

const bucket = 'latchkey-uploads';
/** The CORS rules that `docs/start/uploads.md` recommends to operators for their bucket. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'PUT, GET, HEAD',
  'access-control-allow-headers': 'Content-Type, Cache-Control',
  'access-control-expose-headers': 'ETag',
  'access-control-max-age': '7200',
};

/**
 * Starts an S3 server on loopback, with one bucket that browsers may PUT to from any origin and that everyone may read,
 * as behind a CDN. s3rver keeps the objects. It accepts every signature of version 4, so `judgeSignature` runs before it.
 *
 * With TEST_S3_ENDPOINT in the environment nothing is started: that store is used, with TEST_S3_BUCKET, TEST_S3_REGION,
 * TEST_S3_ACCESS_KEY_ID and TEST_S3_SECRET_ACCESS_KEY, and `now` has no effect.
 */
export async function startS3Server({ now = Date.now }: S3ServerOptions = {}): Promise<S3Server> {
  if (process.env.TEST_S3_ENDPOINT) return fromEnvironment(process.env);
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-s3-'));
  const store = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket }] });
  await store.configureBuckets();
  const credentials = {
    region: 'eu-central-1',
    accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
  };
  const keep = store.callback();
  const writes = new Map<string, Promise<unknown>>();
  const server = createServer(async (request, response) => {
    for (const [name, value] of Object.entries(corsHeaders)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return void response.writeHead(200).end();
    const refusal = isPublicRead(request) ? null : judgeSignature(request, credentials, now());
    if (refusal) return refuse(request, response, refusal);
    dropSignature(request);
    // S3 shows an object once it is whole. s3rver shows it while it is written, without its Cache-Control.
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (request.method === 'PUT') writes.set(path, once(response, 'close'));
    else await writes.get(path);
    keep(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    ...credentials,
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>): S3Server {
  const need = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`TEST_S3_ENDPOINT needs ${name}`);
    return value;
  };
  return {
    endpoint: need('TEST_S3_ENDPOINT').replace(/\/+$/, ''),
    bucket: need('TEST_S3_BUCKET'),
    region: need('TEST_S3_REGION'),
    accessKeyId: need('TEST_S3_ACCESS_KEY_ID'),
    secretAccessKey: need('TEST_S3_SECRET_ACCESS_KEY'),
    close: async () => {},
  };
}

function isPublicRead({ method, url = '', headers }: IncomingMessage): boolean {
  const reads = method === 'GET' || method === 'HEAD';
  return reads && !url.includes('X-Amz-') && headers.authorization === undefined;
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, code }: S3Refusal): void {
  // Read to its end, because a client that still sends would see a broken connection instead of the answer.
  request.resume();
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
}

/** s3rver knows only its own account. A request that was judged already reaches it without a signature. */
function dropSignature(request: IncomingMessage): void {
  delete request.headers.authorization;
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const rest = new URLSearchParams(query);
  for (const name of [...rest.keys()]) if (name.startsWith('X-Amz-')) rest.delete(name);
  request.url = rest.size > 0 ? `${path}?${rest}` : path;
}
