import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPostgres } from '@latchkey/shared/db';
import { createManualClock, databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addAuditRows } from './audit.fixture.ts';
import { type AuditSink, openAuditSink } from './audit-sink.ts';
import { createAuditForwarder, readFirstUnsent } from './forward-audit.ts';
import { createAuditPurge } from './purge-audit.ts';

const facts = { host: 'node 1', pid: 7, now: () => Date.UTC(2026, 0, 1) };
const { signal } = new AbortController();

describe.each(databaseKinds(process.env))('the forwarded audit on $name', ({ open }) => {
  let database: TestDatabase;
  let forward: ReturnType<typeof startForwarder>;
  let folder: string;
  const clock = createManualClock();
  beforeEach(async () => {
    database = await open();
    forward = startForwarder();
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
  /** As a process of its own. @returns what forwards to a sink */
  function startForwarder() {
    let sink: AuditSink;
    const through: AuditSink = { write: (lines) => sink.write(lines) };
    const forwarder = createAuditForwarder({ db: database.db, clock, sink: through, signal });
    return (to: AuditSink) => {
      sink = to;
      return forwarder.run();
    };
  }
  const membersIn = (name: string) => (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)[name]);
  const [targetsIn, numbersIn] = [membersIn('target'), membersIn('number')];

  test('each row is forwarded to the file once, in its order and with the next number', async () => {
    const path = join(folder, 'audit.jsonl');
    const sink = openAuditSink({ kind: 'file', path }, facts);
    const many = Array.from({ length: 1_100 }, (_, n) => `t-${n}`);
    await add(many);
    expect(await forward(sink)).toBe(1_100);
    await add(['later']);
    expect([await forward(sink), await forward(sink)]).toEqual([1, 0]);
    const text = readFileSync(path, 'utf8');
    expect(targetsIn(text)).toEqual([...many, 'later']);
    expect(numbersIn(text)).toEqual(Array.from({ length: 1_101 }, (_, n) => n + 1));
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
    expect(JSON.parse(json)).toMatchObject({ target: 'ü', number: 1 });
  });

  test('a process that is killed after the delivery leaves lines that are sent again as they were, and none is missing', async () => {
    const received: string[] = [];
    const sink: AuditSink = { write: async (lines) => void received.push(...lines) };
    await add(['a', 'b']);
    const dies = {
      write: (lines: readonly string[]) => sink.write(lines).then(() => Promise.reject(new Error('killed'))),
    };
    await expect(startForwarder()(dies)).rejects.toThrow('killed');
    await add(['c']);
    // Until then, the other process may still be at it.
    expect(await forward(sink)).toBe(0);
    clock.advance(20_000);
    expect(await forward(sink)).toBe(3);
    expect(numbersIn(received.join('\n'))).toEqual([1, 2, 1, 2, 3]);
    expect(received.slice(2, 4)).toEqual(received.slice(0, 2));
    expect(await forward(sink)).toBe(0);
  });

  test('a row that is removed past the services before it is sent leaves a gap in the numbers', async () => {
    const received: string[] = [];
    await add(['a', 'b', 'c']);
    await expect(forward({ write: () => Promise.reject(new Error('away')) })).rejects.toThrow('away');
    await database.db.deleteFrom('audit').where('target', '=', 'b').execute();
    await forward({ write: async (lines) => void received.push(...lines) });
    expect(numbersIn(received.join('\n'))).toEqual([1, 3]);
  });

  test('the retention leaves rows that are still to be sent', async () => {
    const retention = { actsDays: 1, refusalsDays: 1, strangersDays: 1 };
    const readFirstKept = () => readFirstUnsent(database.db);
    const purge = createAuditPurge({ ...database, clock, retention, readFirstKept });
    await add(['sent']);
    await forward({ write: async () => {} });
    await add(['begun']);
    await expect(forward({ write: () => Promise.reject(new Error('away')) })).rejects.toThrow('away');
    await add(['new', 'newest']);
    await database.db
      .updateTable('audit')
      .set({ at: clock.now() - 2 * 86_400_000 })
      .execute();
    expect(await purge.run()).toBe(1);
    await forward({ write: async () => {} });
    expect(await purge.run()).toBe(isPostgres(database.db) ? 3 : 2);
  });
});
