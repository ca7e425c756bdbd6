import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listen } from '../testing/listen.ts';
import { apiKey, apiKeyEnv, runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';

const url = 'http://user:canary@127.0.0.1:65432/a.m3u8?token=canary';
const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.${'c'.repeat(43)}`;
const database = { DATABASE_URL: 'postgres://user:canary@127.0.0.1:65432/db?password=canary' };
const server = ['--server', 'http://127.0.0.1:65432'];
const badServer = ['--server', url];
const film = ['--content-id', 'film'];

interface Run {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The arguments of each command, with a secret at every place that a message could show. `@/` is a folder with the files below. */
const runs: Readonly<Record<string, readonly Run[]>> = {
  keygen: [{ args: ['keygen', '--version-number', url] }, { args: ['keygen', '--only', url] }],
  'master-key': [
    {
      args: ['master-key', 'check'],
      env: { MASTER_KEY_HEX: 'canary'.repeat(9), SALT_HEX: 'canary', ...database },
    },
    {
      args: ['master-key', 'check', '--no-database'],
      env: {
        MASTER_KEY_PROVIDER: 'vault-transit',
        VAULT_ADDR: url,
        VAULT_TOKEN: 'canary',
        VAULT_TRANSIT_KEY: 'k',
      },
    },
    { args: ['master-key', 'import', '--extracted', '@/key'], env: { MASTER_KEY_PROVIDER: 'vault-transit' } },
  ],
  encrypt: [
    { args: ['encrypt', url, ...film, '--out', '@/out', '--env-file', '@/env'] },
    { args: ['encrypt', '#served', ...film, '--out', '@/out', '--env-file', '@/env'] },
    { args: ['encrypt', '@/clear.m3u8', ...film, '--out', '@/out', ...badServer] },
    { args: ['encrypt', '@/clear.m3u8', ...film, '--out', '@/out', '--env-file', '@/env', '--key-url', url] },
    {
      args: [
        'encrypt',
        '@/clear.m3u8',
        ...film,
        '--out',
        '@/out',
        ...server,
        '--register',
        '--playlist-url',
        `x${url}`,
      ],
    },
    { args: ['encrypt', '@/signed.m3u8', ...film, '--out', '@/out', '--env-file', '@/env'] },
    { args: ['encrypt', '--live', url, ...film, '--out', '@/out', ...server] },
    { args: ['encrypt', url, ...film, '--out', '@/out', '--env-file', '@/env', '--source-header', 'canary'] },
    {
      args: ['encrypt', '@/clear.m3u8', ...film, '--out', '@/out'],
      env: { MASTER_KEY_HEX: 'canary', SALT_HEX: 'canary' },
    },
  ],
  import: [
    { args: ['import', url, ...film, ...server] },
    { args: ['import', '#served', ...film, ...server, '--source-header', 'X: canary'] },
    { args: ['import', '@/data.m3u8', ...film, ...badServer] },
    { args: ['import', '@/data.m3u8', ...film, ...server, '--source-header-origin', url] },
    { args: ['import', '@/keys', ...server] },
  ],
  'export-keys': [{ args: ['export-keys', 'film', '--out', '@/out', ...badServer] }],
  'key-info': [
    { args: ['key-info', ...film, '--follow', '@/info', ...badServer] },
    { args: ['key-info', ...film, '--follow', '@/info', ...server, '--key-url', `${url}#`] },
  ],
  session: [{ args: ['session', 'film', '--viewer', 'ada', ...badServer] }],
  'api-keys': [{ args: ['api-keys', 'create', '--name', 'a'], env: database }],
  audit: [{ args: ['audit', 'export', '--out', '@/out'], env: database }],
  backup: [{ args: ['backup', '@/out'], env: database }],
  restore: [{ args: ['restore', '@/key'], env: database }],
  revocations: [
    { args: ['revocations', '@/log', '--since', '2026-01-01T00:00:00Z', '--redo', ...badServer] },
    { args: ['revocations', '@/log', '--since', url] },
  ],
  migrate: [{ args: ['migrate'], env: database }],
  doctor: [
    {
      args: ['doctor'],
      env: {
        ...database,
        ...{
          MASTER_KEY_HEX: 'canary',
          SALT_HEX: 'canary',
          AUTH_JWT_SECRET: 'canary',
          ADMIN_API_KEY: 'canary',
        },
        ...{
          REDIS_URL: 'redis://:canary@127.0.0.1:65432',
          NATS_URL: 'nats://user:canary@127.0.0.1:65432',
          INTERNAL_SECRET: 'canary',
        },
      },
    },
    { args: ['doctor'], env: { ...database, AUTH_JWKS_URL: 'http://127.0.0.1:65432/jwks?token=canary' } },
    { args: ['doctor', '--token', '@/token'], env: { AUTH_JWT_SECRET: 'canary'.repeat(9) } },
    { args: ['doctor', '--live', url] },
  ],
};

const segment = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n';
const files = {
  key: 'canary'.repeat(9),
  token,
  env: `MASTER_KEY_HEX=${'01'.repeat(32)}\nSALT_HEX=${'02'.repeat(32)}\n`,
  log: `${apiKey} ${url}\n{"path":"${url}"}\n`,
  'clear.m3u8': `${segment}a.ts\n#EXT-X-ENDLIST\n`,
  'a.ts': 'a',
  'signed.m3u8': `${segment}gone.ts?token=canary\n#EXT-X-ENDLIST\n`,
  'data.m3u8': `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="data:;base64,Y2FuYXJ5Y2FuYXJ5Y2FuYQ=="\n#EXTINF:2,\na.ts\n`,
  'keys/film.key': 'Y2FuYXJ5Y2FuYXJ5Y2FuYQ==x',
};

/** A server whose playlist names what is not there, with secrets. @returns its URL with secrets */
async function serve(): Promise<string> {
  const origin = await listen((request, response) => {
    if (request.url?.startsWith('/a.m3u8')) response.end(`${segment}gone.ts?token=canary\n`);
    else response.writeHead(302, { location: `${url}&more=canary` }).end();
  });
  return `${origin.replace('//', '//user:canary@')}/a.m3u8?token=canary`;
}

async function run({ args, env }: Run) {
  const folder = writeFiles(temporaryFolder(), files);
  const served = await serve();
  const given = args.map((arg) => arg.replace(/^@/, folder).replace(/^#served$/, served));
  // The endless ones try again until they are ended.
  const signal = AbortSignal.timeout(1_500);
  const wait = () => setTimeout(1);
  const outcome = await runCommand(given, { env: { ...apiKeyEnv, ...env }, signal, wait });
  const before = new Set(Object.keys(files));
  const written = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !before.has(path.slice(folder.length + 1)));
  return { ...outcome, files: written.map((path) => readFileSync(path, 'latin1')) };
}

/** The names that `latchkey --help` lists. */
async function listCommands(): Promise<string[]> {
  const { stdout } = await runCommand(['--help']);
  const [, list = ''] = stdout.split('Commands:\n');
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'help');
}

it('every command has a row here', async () => {
  expect((await listCommands()).sort()).toEqual(Object.keys(runs).sort());
});

for (const [name, rows] of Object.entries(runs)) {
  it.each(rows.map((row) => [row.args.slice(1).join(' '), row] as const))(
    `latchkey ${name} shows no secret, and writes none into a file: %s`,
    async (_, row) => {
      const { exitCode, stdout, stderr, files: written } = await run(row);
      expect({ exitCode, said: stdout + stderr }).not.toEqual({ exitCode: 0, said: '' });
      for (const text of [stdout, stderr, ...written]) {
        expect(text).not.toMatch(/canary|Y2FuYXJ5/i);
        expect(text).not.toContain(apiKey);
        expect(text).not.toContain(token);
      }
    },
  );

  it(`latchkey ${name} shows no secret of an option that it does not know`, async () => {
    for (const value of [url, apiKey, token]) {
      const { exitCode, stderr } = await runCommand([name, `--wrong=${value}`]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('error: ')]);
      expect(stderr).not.toMatch(/canary|c{43}|(ab){32}/);
    }
  });
}
