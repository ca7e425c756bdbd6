import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { findBlock, readBlocks, readDocument } from '@latchkey/rig/documents/read-blocks';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { findTool } from '@latchkey/rig/provide-tool';
import { describe, expect, it, vi } from 'vitest';
import { makeTestFolder } from './own-process.ts';
import { registerContent } from './server-actions.ts';
import { createSyslogReceiver } from './syslog-receiver.ts';
import { areContainers, isSingleNode, startServerToClose } from './target.ts';
import { verifyAudit } from './verify-audit.ts';

/** Forwarding runs each second. The rest is for a busy machine, and for a collector that is given up after 10 s. */
const patience = { timeout: 60_000, interval: 100 };

type Line = Record<string, unknown>;

/** The contents that lines of the audit say were registered. */
const registered = (lines: readonly Line[]) =>
  lines.filter(({ action }) => action === 'content.create').map(({ target }) => String(target));

const readLines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Whether each act up to the last one is there, and those that are there twice are the same. */
function expectComplete(lines: readonly Line[], contents: readonly string[]): void {
  const there = new Set(registered(lines));
  expect(contents.filter((id) => !there.has(id))).toEqual([]);
  const acts = new Map<unknown, string>();
  for (const line of lines.filter(({ chain }) => chain === 'acts')) {
    const text = JSON.stringify(line);
    expect(acts.get(line.place) ?? text).toBe(text);
    acts.set(line.place, text);
  }
  const places = [...acts.keys()].map(Number).sort((a, b) => a - b);
  expect(places).toEqual(places.map((_, index) => index + 1));
}

// Containers reach neither files nor the loopback address of this machine.
describe.skipIf(areContainers)('the forwarded audit', () => {
  it('logrotate renames the file beside a server that writes, and no line is lost', async () => {
    const folder = makeTestFolder();
    const file = join(folder, 'audit.jsonl');
    const secret = 'f'.repeat(64);
    writeFileSync(join(folder, 'secret'), secret);
    const server = await startServerToClose({
      AUDIT_FORWARD: `file:${file}`,
      AUDIT_CHAIN_SECRET_FILE: join(folder, 'secret'),
    });
    const database = { ...server.database, AUDIT_CHAIN_SECRET: secret };
    const rotate = prepareRotation(folder, file);
    const files = () => readdirSync(folder).filter((name) => name.startsWith('audit.jsonl'));
    const readFile = (name: string) => {
      const bytes = readFileSync(join(folder, name));
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    };
    const read = () => files().flatMap((name) => readLines(readFile(name)));
    const contents: string[] = [];
    const stopping = new AbortController();
    const writing = (async () => {
      while (!stopping.signal.aborted) {
        // A busy machine refuses some with 503. Those that were acknowledged count.
        const content = await registerContent(server).catch(() => null);
        if (content !== null) contents.push(content);
      }
    })();
    try {
      for (let rotation = 1; rotation <= 3; rotation++) {
        await vi.waitFor(() => expect(existsSync(file)).toBe(true), patience);
        await rotate();
        // Rotations often end with this signal. A process with a variable from a file goes on, and single nodes are given one.
        if (rotation === 2 && isSingleNode) server.process.kill('SIGHUP');
        expect(files()).toContain(rotation === 1 ? 'audit.jsonl.1' : `audit.jsonl.${rotation}.gz`);
      }
    } finally {
      stopping.abort();
      await writing;
    }
    const last = contents.at(-1) ?? 'no act';
    await vi.waitFor(() => expect(registered(read()).includes(last)).toBe(true), patience);
    expectComplete(read(), contents);
    for (const name of files().filter((name) => !name.endsWith('.gz')))
      await verifyAudit(database, join(folder, name));
    await server.close();
  }, 240_000);

  it('a syslog server that is away, silent or breaks off gets every line once it is back, requests go on, and the log says so', async () => {
    const port = await findFreePort();
    const collector = createSyslogReceiver(port);
    const server = await startServerToClose({ AUDIT_FORWARD: `syslog://127.0.0.1:${port}` });
    const warned = () => server.process.stderr().split('the audit could not be forwarded').length - 1;
    const contents: string[] = [];
    const act = async () => contents.push(await registerContent(server));
    const onceReceived = () => vi.waitFor(() => expectComplete(collector.messages(), contents), patience);

    await act();
    await vi.waitFor(() => expect(warned()).toBeGreaterThan(0), patience);
    await collector.start('reads');
    await onceReceived();
    await collector.stop();
    await act();
    await collector.start('silent');
    await vi.waitFor(() => expect(collector.connections()).toBeGreaterThan(0), patience);
    await act();
    expect(collector.messages().map(({ target }) => target)).not.toContain(contents.at(-1));
    // Breaks the connection of the server, too.
    await collector.stop();
    await act();
    await collector.start('reads');
    await onceReceived();
    await server.close();
  }, 240_000);
});

/** Lets the real logrotate rotate by the settings of docs/audit.md, as often as it is called. */
function prepareRotation(folder: string, file: string): () => Promise<void> {
  const program = findTool('logrotate');
  if (!program) throw new Error('this needs logrotate');
  const [settings, state] = [join(folder, 'logrotate.conf'), join(folder, 'logrotate.state')];
  const block = findBlock(readBlocks(readDocument('docs/audit.md')), 'logrotate', 'delaycompress');
  writeFileSync(settings, block.replace('/var/log/latchkey/audit.jsonl', file));
  // It refuses settings and folders that others may write.
  chmodSync(settings, 0o600);
  return async () => void (await promisify(execFile)(program, ['--force', '--state', state, settings]));
}
