import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminKey, call, measuringToken, type Subject, startServer, startSingleNode } from './servers.ts';

/** Bare servers that answer 16 bytes, and Latchkey asked with a token, and with a token and a lease. */
export async function startSubjects(): Promise<Subject[]> {
  const http = await startServer('bare node:http', 'bench/src/bare-http.ts', {});
  const fastify = await startServer('bare Fastify', 'bench/src/bare-fastify.ts', {});
  const latchkey = await startLatchkey();
  const token = measuringToken();
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
  const subject = await startSingleNode({ SQLITE_PATH: join(folder, 'latchkey.db') });
  return {
    ...subject,
    async stop() {
      await subject.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
