import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listen } from '../testing/listen.ts';
import { apiKeyEnv, runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const playlistWith = (key: string, segment = 's0.ts') =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:4\n${key}\n#EXTINF:4,\n${segment}\n#EXT-X-ENDLIST\n`;

/** Runs `import`, which refuses the presentation before it calls the key server. @returns everything that it wrote */
async function runImport(source: string, more: readonly string[] = ['--content-id', 'film']) {
  const args = ['import', source, '--server', 'http://127.0.0.1:1', ...more];
  const { exitCode, stdout, stderr } = await runCommand(args, { env: apiKeyEnv });
  expect(exitCode).toBe(2);
  expect(stderr).not.toBe('');
  return stdout + stderr;
}

it.each([
  '#EXT-X-KEY:METHOD=AES-128,URI="data:text/plain;base64,Y2FuYXJ5"',
  '#EXT-X-KEY:METHOD=AES-128,URI="DATA:application/octet-stream;base64,Y2FuYXJ5"',
  '#EXT-X-KEY:METHOD=AES-128,URI="data:text/plain;base64,Y2FuYXJ5',
  '#EXT-X-KEY:METHOD=AES-128,URI="data:text/plain;base64,Y2FuYXJ5"x',
  '#EXT-X-KEY:METHOD=AES-128,URI="k.key?token=Y2FuYXJ5"',
  '#EXT-X-KEY:METHOD=AES-128,URI="https://user:Y2FuYXJ5@127.0.0.1:1/k.key"',
  '#EXT-X-KEY:METHOD=AES-128,URI="http://user:Y2FuYXJ5 x@h:port/k.key"',
])('import of a presentation on disk does not show what is secret in %s', async (key) => {
  const path = join(temporaryFolder(), 'i.m3u8');
  writeFileSync(path, playlistWith(key));
  expect(await runImport(path)).not.toContain('Y2FuYXJ5');
});

it.each([
  ['an answer of 401', '/401.m3u8?token=canary', ''],
  ['a password', '/401.m3u8', 'user:canary@'],
  ['a redirect', '/redirect.m3u8?token=canary', ''],
  ['a segment that is not there', '/ok.m3u8?token=canary', ''],
])('import of a URL does not show its password and its token: %s', async (_, path, user) => {
  const origin = await listen(({ url }, answer) => {
    if (url?.startsWith('/redirect'))
      answer.writeHead(302, { location: 'https://u:canary@h/?t=canary' }).end();
    else if (url?.startsWith('/ok'))
      answer.end(playlistWith('#EXT-X-KEY:METHOD=AES-128,URI="k.key?t=canary"', 's0.ts?t=canary'));
    else if (url?.startsWith('/k.key')) answer.end(Buffer.alloc(16));
    else answer.writeHead(401).end();
  });
  expect(await runImport(origin.replace('//', `//${user}`) + path)).not.toContain('canary');
});

it('a table with a key in the place of an id or an epoch is refused without the key', async () => {
  for (const line of ['Y2FuYXJ5Y2FuYXJ5Y2FuYQ==,,film', 'film,Y2FuYXJ5Y2FuYXJ5Y2FuYQ==,']) {
    const path = join(temporaryFolder(), 'keys.csv');
    writeFileSync(path, `contentId,epoch,key\n${line}\n`);
    expect(await runImport(path, [])).not.toContain('Y2FuYXJ5');
  }
});
