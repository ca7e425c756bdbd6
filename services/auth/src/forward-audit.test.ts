import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock, databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addAuditRows } from './audit.fixture.ts';
import { openAuditSink } from './audit-sink.ts';
import { forwardAudit } from './forward-audit.ts';

const facts = { host: 'node 1', pid: 7, now: () => Date.UTC(2026, 0, 1) };
const { signal } = new AbortController();

describe.each(databaseKinds(process.env))('the forwarded audit on $name', ({ open }) => {
  let database: TestDatabase;
  let folder: string;
  const clock = createManualClock();
  beforeEach(async () => {
    database = await open();
    folder = mkdtempSync(join(tmpdir(), 'latchkey-audit-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await database.close();
  });

  async function add(targets: readonly string[]): Promise<void> {
    await addAuditRows(
      database.db,
      targets.map((target) => ({ at: clock.now(), target })),
    );
  }
  const forward = (sink: ReturnType<typeof openAuditSink>) =>
    forwardAudit({ db: database.db, clock, sink, signal });
  const targetsIn = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).target);

  test('each row is forwarded to the file once, in its order', async () => {
    const path = join(folder, 'audit.jsonl');
    const sink = openAuditSink({ kind: 'file', path }, facts);
    const many = Array.from({ length: 1_100 }, (_, n) => `t-${n}`);
    await add(many);
    expect(await forward(sink)).toBe(1_100);
    await add(['later']);
    expect([await forward(sink), await forward(sink)]).toEqual([1, 0]);
    expect(targetsIn(readFileSync(path, 'utf8'))).toEqual([...many, 'later']);
  });

  test('what a full disk refused is forwarded once it takes more, on a line of its own', async () => {
    await add(['a', 'b']);
    await expect(forward(openAuditSink({ kind: 'file', path: '/dev/full' }, facts))).rejects.toThrow(
      /ENOSPC/,
    );
    const path = join(folder, 'audit.jsonl');
    writeFileSync(path, '{"id":"1","half of a li');
    expect(await forward(openAuditSink({ kind: 'file', path }, facts))).toBe(2);
    const [half, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect([half, lines.map((line) => JSON.parse(line).target)]).toEqual([
      '{"id":"1","half of a li',
      ['a', 'b'],
    ]);
  });

  test('rows are forwarded to a syslog server as RFC 5424 messages with their length, and again if it broke off', async () => {
    const received: string[] = [];
    let breaks = true;
    const server: Server = createServer((socket: Socket) => {
      let text = '';
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        text += chunk;
        if (breaks) socket.resetAndDestroy();
      });
      socket.on('end', () => {
        received.push(text);
        socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const sink = openAuditSink({ kind: 'syslog', host: '127.0.0.1', port }, facts);
    await add(['ü']);
    await expect(forward(sink)).rejects.toThrow();
    breaks = false;
    expect(await forward(sink)).toBe(1);
    const [, length, message = ''] = /^(\d+) (.*)$/s.exec(received[0] ?? '') ?? [];
    expect(Buffer.byteLength(message)).toBe(Number(length));
    const [, json = ''] =
      /^<110>1 2026-01-01T00:00:00\.000Z node_1 latchkey 7 audit - (.*)$/.exec(message) ?? [];
    expect(JSON.parse(json)).toMatchObject({ target: 'ü' });
  });
});
