import { createDecipheriv } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { runCli } from '@latchkey/support/processes/run-cli';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { runToExit } from './run-to-exit.ts';

const target = await openTarget();
const { client, adminApiKey, url } = target;

const segments = Array.from({ length: 9 }, (_, n) => `#EXTINF:${n === 8 ? 1 : 4},\n${n}.ts`);

/** Encrypts nine segments, of 4 s and the last of 1 s, in a folder of its own. */
function prepare(contentId: string) {
  const folder = makeTestFolder();
  for (let n = 0; n < 9; n++) writeFileSync(join(folder, `${n}.ts`), `segment ${n}`);
  writeFileSync(join(folder, 'film.m3u8'), ['#EXTM3U', ...segments, '#EXT-X-ENDLIST', ''].join('\n'));
  const base = [
    'encrypt',
    join(folder, 'film.m3u8'),
    '--content-id',
    contentId,
    '--out',
    join(folder, 'out'),
  ];
  return (...more: string[]) =>
    runToExit([...base, '--server', url, '--register', '--force', ...more], adminApiKey);
}

const periodsOf = async (id: string) =>
  (await client.get(`/api/v1/content/${id}`, adminApiKey)).json.content.keyPeriods;

it('encrypt --register --rotate-every states the count and the longest period, and another rotation updates them', async () => {
  const contentId = unique('film');
  const encrypt = prepare(contentId);
  expect(await encrypt('--rotate-every', '2')).toMatchObject({ exitCode: 0 });
  const twoMinutes = { burst: 15, speed: 2, pace: true };
  expect(await periodsOf(contentId)).toEqual({ mode: 'sequence', count: 5, periodSeconds: 8, ...twoMinutes });
  const token = viewerToken(target.jwtSecret, unique('viewer'));
  const answers = await Promise.all(
    ['/4', '/5', ''].map((epoch) => client.get(`/keys/${contentId}${epoch}`, token)),
  );
  expect(answers.map(outcomeOf)).toEqual(['200', '404 EPOCH_NOT_FOUND', '404 EPOCH_NOT_FOUND']);

  // More epochs than before: their keys are not served until the key periods are widened.
  expect(await encrypt('--rotate-every', '1')).toMatchObject({ exitCode: 0 });
  expect(await periodsOf(contentId)).toMatchObject({ count: 9, periodSeconds: 4, burst: 30 });
  expect(await encrypt()).toMatchObject({ exitCode: 0 });
  expect(await periodsOf(contentId)).toBeNull();
});

it('encrypt --register leaves the key periods of a live channel, and with --no-key-periods the key periods of any content', async () => {
  const contentId = await registerContent(target);
  const encrypt = prepare(contentId);
  expect(await encrypt('--rotate-every', '2', '--no-key-periods')).toMatchObject({ exitCode: 0 });
  expect(await periodsOf(contentId)).toBeNull();

  const keyPeriods = { mode: 'clock', origin: '2026-01-01T00:00:00.000Z', periodSeconds: 10 };
  await client.call('PATCH', `/api/v1/content/${contentId}`, { as: adminApiKey, json: { keyPeriods } });
  const { exitCode, stderr } = await encrypt('--rotate-every', '2');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('it is a live channel');
  expect(await periodsOf(contentId)).toMatchObject(keyPeriods);
});

it('latchkey encrypt --live --register makes a channel whose keys change by the clock, and a viewer decrypts it with the key of now and no later one', async () => {
  const id = unique('channel');
  const folder = makeTestFolder();
  // A source that has ended already, so that the command ends.
  const source = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n#EXT-X-ENDLIST\n';
  for (const [name, text] of Object.entries({ 'live.m3u8': source, 'a.ts': 'first', 'b.ts': 'second' })) {
    writeFileSync(join(folder, name), text);
  }
  const out = join(folder, 'out');
  const args = ['encrypt', '--live', join(folder, 'live.m3u8'), '--content-id', id, '--out', out];
  const env = { LATCHKEY_API_KEY: adminApiKey };
  await runCli([...args, '--server', target.url, '--register', '--period', '3600'], env);

  const { json } = await client.get(`/api/v1/content/${id}`, adminApiKey);
  const periods = { mode: 'clock', periodSeconds: 3_600, ahead: 1, behind: null };
  expect(json).toMatchObject({ content: { id, keyPeriods: periods } });
  const viewer = viewerToken(target.jwtSecret, unique('viewer'));
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
});
