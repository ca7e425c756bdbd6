import { createDecipheriv } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '@latchkey/rig/processes/run-cli';
import { expect, it, onTestFinished } from 'vitest';
import { listPendingMigrations } from './pending-migrations.ts';
import { openTarget } from './target.ts';
import { unique, viewerToken } from './tokens.ts';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;
/** Before it, the server knows no periods. */
const isPending = (await listPendingMigrations(target)).includes('0006-key-periods');

it.skipIf(isPending)(
  'latchkey encrypt --live --register makes a channel whose keys change by the clock, and a viewer decrypts it with the key of now and no later one',
  async () => {
    const id = unique('channel');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-live-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // A source that has ended already, so that the command ends.
    const source = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n#EXT-X-ENDLIST\n';
    for (const [name, text] of Object.entries({ 'live.m3u8': source, 'a.ts': 'first', 'b.ts': 'second' })) {
      writeFileSync(join(folder, name), text);
    }
    const out = join(folder, 'out');
    const args = ['encrypt', '--live', join(folder, 'live.m3u8'), '--content-id', id, '--out', out];
    const env = { LATCHKEY_API_KEY: admin };
    await runCli([...args, '--server', target.url, '--register', '--period', '3600'], env);

    const { json } = await client.get(`/api/v1/content/${id}`, admin);
    const periods = { mode: 'clock', periodSeconds: 3_600, ahead: 1, behind: null };
    expect(json).toMatchObject({ content: { id, keyPeriods: periods } });
    const viewer = viewerToken(jwtSecret, unique('viewer'));
    const playlist = readFileSync(join(out, 'live.m3u8'), 'utf8');
    const keyLine = /URI="([^"]+)",IV=0x([0-9a-f]{32})\n#EXTINF:2,\n(\S+)/g;
    const clear: string[] = [];
    for (const [, uri = '', iv = '', name = ''] of playlist.matchAll(keyLine)) {
      expect(uri).toBe(`${target.url}/keys/${id}/0`);
      const key = await client.get(`/keys/${id}/0`, viewer);
      const decipher = createDecipheriv('aes-128-cbc', key.bytes, Buffer.from(iv, 'hex'));
      const bytes = readFileSync(join(out, name));
      clear.push(Buffer.concat([decipher.update(bytes), decipher.final()]).toString());
    }
    expect(clear).toEqual(['first', 'second']);
    expect(await client.get(`/keys/${id}/2`, viewer)).toMatchObject({ status: 403, code: 'EPOCH_NOT_YET' });
  },
);
