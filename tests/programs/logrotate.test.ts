import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expectComplete, readLines, registered } from '@latchkey/support/black-box/forwarded-audit';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { isSingleNode, startServerToClose } from '@latchkey/support/black-box/target';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { expect, it, vi } from 'vitest';

const program = process.env.LOGROTATE_PATH;
/** Forwarding runs each second. The rest is for a busy machine. */
const patience = { timeout: 60_000, interval: 100 };

it.skipIf(!program)(
  'logrotate renames the file while a server writes to it, and no line is lost',
  async () => {
    const folder = makeTestFolder();
    const file = join(folder, 'audit.jsonl');
    const server = await startServerToClose({ AUDIT_FORWARD: `file:${file}` });
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
        // A busy machine refuses some with 503. The acknowledged ones count.
        const content = await registerContent(server).catch(() => null);
        if (content !== null) contents.push(content);
      }
    })();
    try {
      for (let rotation = 1; rotation <= 3; rotation++) {
        await vi.waitFor(() => expect(existsSync(file)).toBe(true), patience);
        await rotate();
        // Rotations often end with this signal, and the process goes on.
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
    await server.close();
  },
  240_000,
);

/** Lets the real logrotate rotate by the settings of docs/operate/audit.md, as often as it is called. */
function prepareRotation(folder: string, file: string): () => Promise<void> {
  const [settings, state] = [join(folder, 'logrotate.conf'), join(folder, 'logrotate.state')];
  const block = findBlock(readBlocks(readDocument('docs/operate/audit.md')), 'logrotate', 'delaycompress');
  writeFileSync(settings, block.replace('/var/log/latchkey/audit.jsonl', file));
  // It refuses settings and folders that others may write.
  chmodSync(settings, 0o600);
  return async () => void (await promisify(execFile)(program ?? '', ['--force', '--state', state, settings]));
}
