import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';

/** A server under load. */
export interface Subject {
  name: string;
  url: string;
  headers: Record<string, string>;
  pid: number;
  stop(): Promise<void>;
}

const adminKey = `lk_${'b'.repeat(64)}`;
const tokenSecret = 'the secret of a measurement, 32 octets or more';
const startLimitMs = 20_000;

/** Bare servers that answer 16 octets, and Latchkey as a viewer sees it: with a token, and with a token and a lease. */
export async function startSubjects(): Promise<Subject[]> {
  const http = await startServer('bare node:http', 'bare-http.ts', {});
  const fastify = await startServer('bare Fastify', 'bare-fastify.ts', {});
  const latchkey = await startLatchkey();
  const token = await viewerToken();
  const headers = { authorization: `Bearer ${token}` };
  const path = '/keys/film/0';
  const url = latchkey.url + path;
  await call(latchkey.url, 'POST', '/api/v1/content', adminKey, { id: 'film', name: 'Film' });
  const { lease } = (await call(latchkey.url, 'POST', '/keys/leases', token, {
    contentId: 'film',
    requestedTtlSeconds: 3_600,
  })) as { lease: { id: string } };
  const unmanaged = async () => {};
  return [
    { ...http, url: http.url + path },
    { ...fastify, url: fastify.url + path },
    { ...latchkey, name: 'Latchkey, token', url, headers },
    {
      ...latchkey,
      name: 'Latchkey, token and lease',
      url,
      headers: { ...headers, 'x-lease-id': lease.id },
      stop: unmanaged,
    },
  ];
}

async function startLatchkey(): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  const subject = await startServer('Latchkey', '../../gateway/src/single-node.ts', {
    SQLITE_PATH: join(folder, 'latchkey.db'),
    ADMIN_API_KEY: adminKey,
    AUTH_JWT_SECRET: tokenSecret,
    METRICS_PORT: '0',
    SHUTDOWN_DRAIN_SECONDS: '0',
  });
  return {
    ...subject,
    async stop() {
      await subject.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function startServer(name: string, file: string, env: Record<string, string>): Promise<Subject> {
  const port = await freePort();
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [path], {
    // Its request log is written and read like a collector would, and thrown away here.
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      ...env,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
  });
  child.stdout?.resume();
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/health`, child);
  return { name, url, headers: {}, pid: child.pid ?? 0, stop: () => stop(child) };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline && child.exitCode === null) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`${url} did not answer within ${startLimitMs} ms`);
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

function viewerToken(): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('viewer-of-the-measurement')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(tokenSecret));
}

async function call(
  base: string,
  method: string,
  path: string,
  credential: string,
  body: unknown,
): Promise<unknown> {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
