import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { masterKeyEnv } from '../testing/encrypt-files.ts';
import { answerProblem } from '../testing/key-server.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { apiKeyEnv, runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { startUploadServer } from '../testing/upload-server.ts';

const clearFiles = {
  'master.m3u8':
    '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n480p.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\n720p.m3u8\n',
  '480p.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXT-X-ENDLIST\n',
  '720p.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nb.ts\n#EXT-X-ENDLIST\n',
  'a.ts': 'a',
  'b.ts': 'b',
};

/** A server whose content keys can be replaced, as by one with another master key at the same address. */
async function prepare(...more: string[]) {
  const asked: string[] = [];
  const state = { byte: 1, otherFor: '', refusesChanges: false };
  const keyOf = (path: string) => Buffer.alloc(16, path.endsWith(state.otherFor) ? state.byte : 1);
  const server = await startUploadServer((request, response) => {
    const { url = '', method } = request;
    if (method === 'PATCH' && state.refusesChanges) {
      answerProblem(response, 403, 'INSUFFICIENT_SCOPE', 'This key does not write content.');
      return true;
    }
    if (!url.startsWith('/keys/')) return false;
    asked.push(url);
    response.end(keyOf(url));
    return true;
  });
  const folder = writeFiles(temporaryFolder(), clearFiles);
  const out = join(folder, 'out');
  const base = ['encrypt', join(folder, 'master.m3u8'), '--content-id', 'film', '--out', out];
  const args = [...base, '--server', server.url, '--upload', '--register', ...more];
  const run = (given: string[] = [], variables = {}) =>
    runCommand([...args, ...given], { env: { ...apiKeyEnv, ...variables } });
  const played = () =>
    playPresentation(join(server.bucket, 'content/film/master.m3u8'), keyOf).map(({ segments }) =>
      segments.map(({ clear }) => clear.toString()).join(),
    );
  return { server, out, run, state, asked, played };
}

describe('latchkey encrypt --upload, repeated while the keys have changed', () => {
  it('encrypt --upload does not resume a folder whose keys the server at that address no longer serves', async () => {
    const { server, run, state, played } = await prepare();
    expect((await run()).exitCode).toBe(0);
    const before = server.arrived.length;
    state.byte = 2;
    const refused = await run();
    expect([refused.exitCode, server.arrived.length - before]).toEqual([2, 0]);
    expect(refused.stderr).toMatch(/other content keys than the server http.*--force/);
    expect(refused.stdout).not.toContain('Uploaded');

    // Each file has the size of the one before, and is sent all the same.
    expect((await run(['--force'])).stdout).toMatch(/Uploaded 5 files, \d+ bytes\.\n/);
    expect(played()).toEqual(['a', 'b']);
  });

  it.each([
    ['master key', { ...masterKeyEnv, MASTER_KEY_HEX: '03'.repeat(32) }],
    ['salt', { ...masterKeyEnv, SALT_HEX: '03'.repeat(32) }],
  ])('encrypt --upload does not resume with another %s in the environment', async (_, changed) => {
    const { run } = await prepare('--keys-from', 'env');
    expect((await run([], masterKeyEnv)).exitCode).toBe(0);
    const refused = await run([], changed);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      'other content keys than version 1 of the master key in the environment gives now',
    );
    expect((await run([], masterKeyEnv)).stdout).toContain('Uploaded 0 files');
  });

  it('encrypt --upload does not resume if only the keys of one rendition have changed', async () => {
    const { run, state } = await prepare('--per-rendition-ids');
    expect((await run()).exitCode).toBe(0);
    Object.assign(state, { byte: 2, otherFor: 'film-720p' });
    expect((await run()).stderr).toContain('other content keys');
  });

  it('encrypt --upload requests each key once, and stores only a hash of it', async () => {
    const { run, asked, out } = await prepare('--rotate-every', '1');
    await run();
    expect(asked).toEqual(['/keys/film/0']);
    const [record = ''] = readFileSync(join(out, '.latchkey-upload'), 'utf8').split('\n');
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(JSON.parse(record)).toEqual({ encryptedFrom: hash, withKeys: hash });
    expect(record).not.toContain('01'.repeat(16));
  });
});

describe('latchkey encrypt --per-rendition-ids', () => {
  it('--per-rendition-ids prints the ids that a token must list, with and without an upload', async () => {
    const advice = 'The keys belong to film-480p, film-720p: list all of them';
    const { run } = await prepare('--per-rendition-ids');
    expect((await run()).stdout).toContain(advice);
    const folder = writeFiles(temporaryFolder(), clearFiles);
    const source = join(folder, 'master.m3u8');
    const args = ['encrypt', source, '--content-id', 'film', '--out', join(folder, 'out')];
    const plain = await runCommand([...args, '--per-rendition-ids'], { env: masterKeyEnv });
    expect(plain.stdout).toContain(advice);
    expect((await runCommand([...args, '--force'], { env: masterKeyEnv })).stdout).not.toContain(
      'list all of them',
    );
  });
});

describe('latchkey encrypt --upload --register with epochs', () => {
  it.each([
    ['the server', [], {}],
    ['the environment', ['--keys-from', 'env'], masterKeyEnv],
  ])(
    'encrypt --upload --register states the key periods of each rendition id, with keys from %s',
    async (_, more, variables) => {
      const { server, run } = await prepare('--per-rendition-ids', '--rotate-every', '1', ...more);
      expect((await run([], variables)).exitCode).toBe(0);
      const keyPeriods = { mode: 'sequence', count: 1, periodSeconds: 2 };
      expect(Object.fromEntries(server.contents)).toMatchObject({
        'film-480p': { keyPeriods },
        'film-720p': { keyPeriods },
        film: { keyPeriods: null, manifestKey: 'content/film/master.m3u8' },
      });
    },
  );

  it('encrypt --upload, repeated after the key periods could not be stated, states them and uploads nothing again', async () => {
    const { server, run, state } = await prepare('--rotate-every', '1');
    await run();
    // Another rotation, whose statement the server refuses.
    state.refusesChanges = true;
    server.contents.set('film', { keyPeriods: { mode: 'sequence', count: 5, periodSeconds: 9 } });
    expect((await run(['--force'])).exitCode).toBe(1);
    expect(server.contents.get('film')).toMatchObject({ keyPeriods: { count: 5 } });
    state.refusesChanges = false;
    expect((await run()).stdout).toContain('Uploaded 0 files');
    expect(server.contents.get('film')).toMatchObject({ keyPeriods: { count: 1, periodSeconds: 2 } });
  });
});
