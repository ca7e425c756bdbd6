import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { startNginxPeer } from '../peers/start-nginx.ts';
import { type Subject, startServer, startSingleNode, tokenSecret } from '../servers.ts';
import type { KeySubject } from './key-subject.ts';
import {
  createLeases,
  issuedTokens,
  keyPath,
  listedRequests,
  registerContent,
  viewers,
  viewerTokens,
} from './viewers.ts';

/** The names that the report compares. */
const names = {
  http: 'bare node:http',
  fastify: 'bare Fastify',
  express: 'Express with jsonwebtoken',
  nginx: 'nginx with njs',
  tokens: 'Latchkey, 1,000 tokens',
  leases: 'Latchkey, 1,000 tokens and leases',
  newTokens: 'Latchkey, each request a new token',
  keySet: 'Latchkey, 1,000 tokens (ES256)',
} as const;

/** Servers that answer a key request: bare ones, other ways to build a key server, and Latchkey with four kinds of load. */
export async function startSingleSubjects(
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<KeySubject[]> {
  const tokens = viewerTokens();
  const plain = listedRequests(tokens);
  const http = cleanup.add(await startServer(names.http, 'tests/bench/peers/bare-http.ts', {}));
  const fastify = cleanup.add(await startServer(names.fastify, 'tests/bench/peers/bare-fastify.ts', {}));
  const express = cleanup.add(
    await startServer(names.express, 'tests/bench/peers/express.ts', { TOKEN_SECRET: tokenSecret }),
  );
  const nginx = await startNginxPeer(names.nginx, say);
  if (nginx) cleanup.add(nginx);

  const withTokens = await startLatchkey(names.tokens, cleanup);
  const withLeases = await startLatchkey(names.leases, cleanup);
  const withNewTokens = await startLatchkey(names.newTokens, cleanup);
  const issued = await issuedTokens();
  const keySetUrl = await serveKeySet(issued.keySet, cleanup);
  const withKeySet = await startLatchkey(names.keySet, cleanup, keySetUrl);
  return [
    toSubject(http, plain),
    toSubject(fastify, plain),
    toSubject(express, plain),
    ...(nginx ? [toSubject(nginx, plain)] : []),
    toSubject(withTokens, plain),
    toSubject(withLeases, listedRequests(tokens, await createLeases(withLeases, tokens))),
    toSubject(withNewTokens, {
      kind: 'new tokens',
      path: keyPath,
      host: 'keys.example',
      secret: tokenSecret,
      viewers,
    }),
    toSubject(withKeySet, listedRequests(issued.tokens)),
  ];
}

export function toSubject(server: Subject, source: KeySubject['source'], upstreamPid?: number): KeySubject {
  const { name, pid, url, stop } = server;
  const port = Number(new URL(url).port);
  return { name, pid, port, source, stop, ...(upstreamPid === undefined ? {} : { upstreamPid }) };
}

/** Each kind of load has a process of its own, so that what one leaves in memory does not slow the next. */
export async function startLatchkey(
  name: string,
  cleanup: Cleanup,
  keySetUrl?: string,
  env: Record<string, string> = {},
): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const database = { SQLITE_PATH: join(folder, 'latchkey.db'), ...env };
  const subject = cleanup.add(
    await startSingleNode(keySetUrl ? { ...database, AUTH_JWKS_URL: keySetUrl } : database, name),
  );
  await registerContent(subject);
  return subject;
}

async function serveKeySet(keySet: string, cleanup: Cleanup): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(keySet);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add({
    stop() {
      server.close();
      server.closeAllConnections();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
}
