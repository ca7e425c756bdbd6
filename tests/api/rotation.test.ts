import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import { askForKey, registerContent } from '@latchkey/support/black-box/server-actions';
import {
  areContainers,
  isSingleNode,
  makeApiKey,
  masterKeyHex,
  type OwnServer,
  startServerToClose,
} from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { uploadsOn } from '@latchkey/support/black-box/upload-settings';
import { viewerToken } from '@latchkey/support/tokens';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeSecretFolder } from './secret-folder.ts';

// Each test has every process read its files several times.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const hex = () => randomBytes(32).toString('hex');
const secrets = {
  ADMIN_API_KEY: makeApiKey(),
  ADMIN_API_KEY_PREVIOUS: '',
  AUTH_JWT_SECRET: hex(),
  AUTH_JWT_SECRET_PREVIOUS: '',
  INTERNAL_SECRET: hex(),
  INTERNAL_SECRET_PREVIOUS: '',
  MASTER_KEY_HEX: masterKeyHex,
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: hex(),
};
type Secrets = Partial<typeof secrets>;

/** Auth, content, leases, key-derivation, playback and gateway; or the one process. */
const processes = isSingleNode ? 1 : 6;
const readings =
  /SIGHUP: (?:[A-Z0-9_, ]+ renewed from|the files were read again|the configuration cannot be used)/g;

describe.skipIf(areContainers)('secrets that come from files', () => {
  const folder = makeSecretFolder(secrets);
  let server: OwnServer;
  let contentId: string;
  /** What the files hold. */
  let present = secrets;

  beforeAll(async () => {
    // Its own, because its secrets are replaced.
    server = await startServerToClose({ ...uploadsOn, ...folder.variables });
    contentId = await registerContent({ ...server, adminApiKey: secrets.ADMIN_API_KEY });
    return server.close;
  });

  const count = (pattern: RegExp) => [...server.process.stderr().matchAll(pattern)].length;

  /** Replaces files, and waits until every process has read them. */
  async function renew(changed: Secrets): Promise<void> {
    present = { ...present, ...changed };
    folder.write(changed);
    for (const secret of Object.values(changed))
      if (secret.length > 20) server.client.credentials.add(secret);
    const before = count(readings);
    server.process.kill('SIGHUP');
    await eventually(() => expect(count(readings)).toBe(before + processes));
  }

  const tokenBy = (secret: string) => viewerToken(secret, unique('viewer'));
  const ask = (token: string) => askForKey(server, { token, contentId });
  const manage = async (key: string, path = '/api/v1/api-keys?limit=1') =>
    outcomeOf(await server.client.get(path, key));

  /** Sends requests on a connection of its own until the test ends. None is sent twice. @returns their answers so far */
  function keepAsking(path: string, credential: () => string): Map<string, number> {
    const answers = new Map<string, number>();
    let isOver = false;
    const play = async () => {
      while (!isOver) {
        const headers = { authorization: `Bearer ${credential()}` };
        const answer = await fetch(`${server.url}${path}`, { headers }).then(
          async (response) => `${response.status} ${response.ok ? '' : await response.text()}`.trim(),
          (error: Error) => `no answer: ${String(error.cause ?? error)}`,
        );
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        // Leaves processor time to the server.
        await pause(20);
      }
    };
    const playing = play();
    onTestFinished(async () => {
      isOver = true;
      await playing;
    });
    return answers;
  }

  it('a next AUTH_JWT_SECRET is accepted beside the present one, takes its place, and the old one is refused once it is taken away', async () => {
    const [old, next] = [present.AUTH_JWT_SECRET, hex()];
    const tokens = { old: tokenBy(old), next: tokenBy(next) };
    let player = tokens.old;
    const answers = keepAsking(`/keys/${contentId}`, () => player);
    expect([await ask(tokens.old), await ask(tokens.next)]).toEqual(['200', '401 INVALID_TOKEN']);
    await renew({ AUTH_JWT_SECRET_PREVIOUS: next });
    expect([await ask(tokens.old), await ask(tokens.next)]).toEqual(['200', '200']);
    player = tokens.next;
    await renew({ AUTH_JWT_SECRET: next, AUTH_JWT_SECRET_PREVIOUS: old });
    expect([await ask(tokens.old), await ask(tokens.next)]).toEqual(['200', '200']);
    await renew({ AUTH_JWT_SECRET_PREVIOUS: '' });
    // Every process has verified it before.
    expect([await ask(tokens.old), await ask(tokens.next)]).toEqual(['401 INVALID_TOKEN', '200']);
    expect([...answers.keys()]).toEqual(['200']);
  });

  it('several AUTH_JWT_SECRET_PREVIOUS are accepted, each alone can be taken away, and the statistics warn until the last one is', async () => {
    const others = [hex(), `base64:${randomBytes(48).toString('base64')}`];
    const [first = '', second = ''] = others;
    const tokens = [
      tokenBy(first),
      viewerToken(Buffer.from(second.slice('base64:'.length), 'base64'), unique('viewer')),
    ];
    const askAll = () => Promise.all(tokens.map(ask));
    // A report of the processes may be some seconds old.
    const waitWarned = (isWarned: boolean) =>
      eventually(async () => {
        const { json } = await server.client.get('/api/v1/statistics', present.ADMIN_API_KEY);
        const codes = json.statistics.warnings.map(({ code }: { code: string }) => code);
        expect(codes.includes('AUTH_JWT_SECRET_PREVIOUS_SET')).toBe(isWarned);
      });
    await renew({ AUTH_JWT_SECRET_PREVIOUS: others.join('\n') });
    expect(await askAll()).toEqual(['200', '200']);
    await waitWarned(true);
    await renew({ AUTH_JWT_SECRET_PREVIOUS: second });
    expect(await askAll()).toEqual(['401 INVALID_TOKEN', '200']);
    await renew({ AUTH_JWT_SECRET_PREVIOUS: '' });
    expect(await askAll()).toEqual(['401 INVALID_TOKEN', '401 INVALID_TOKEN']);
    await waitWarned(false);
  });

  it('an old ADMIN_API_KEY is accepted until it is taken away, and then refused on every route', async () => {
    const [old, next] = [present.ADMIN_API_KEY, makeApiKey()];
    const paths = [
      '/api/v1/api-keys?limit=1',
      '/api/v1/content?limit=1',
      '/api/v1/leases?limit=1',
      `/keys/${contentId}`,
    ];
    const manageAll = (key: string) => Promise.all(paths.map((path) => manage(key, path)));
    expect(new Set(await manageAll(old))).toEqual(new Set(['200']));
    await renew({ ADMIN_API_KEY: next, ADMIN_API_KEY_PREVIOUS: old });
    expect(new Set([...(await manageAll(old)), ...(await manageAll(next))])).toEqual(new Set(['200']));
    await renew({ ADMIN_API_KEY_PREVIOUS: '' });
    const within = { timeout: server.propagationMs + 10_000, interval: 100 };
    await vi.waitFor(
      async () => expect(new Set(await manageAll(old))).toEqual(new Set(['401 INVALID_API_KEY'])),
      within,
    );
    expect(new Set(await manageAll(next))).toEqual(new Set(['200']));
  });

  it('INTERNAL_SECRET is replaced in three steps, and no request fails meanwhile', async () => {
    const [old, next] = [present.INTERNAL_SECRET, hex()];
    const token = tokenBy(present.AUTH_JWT_SECRET);
    const keys = keepAsking(`/keys/${contentId}`, () => token);
    // A new viewer each time, whose lease and rights are read from other services.
    const newViewers = keepAsking(`/keys/${contentId}`, () => tokenBy(present.AUTH_JWT_SECRET));
    const lists = keepAsking('/api/v1/leases?limit=1', () => present.ADMIN_API_KEY);
    await renew({ INTERNAL_SECRET_PREVIOUS: next });
    await renew({ INTERNAL_SECRET: next, INTERNAL_SECRET_PREVIOUS: old });
    await renew({ INTERNAL_SECRET_PREVIOUS: '' });
    await eventually(() => expect(keys.get('200')).toBeGreaterThan(20));
    for (const answers of [keys, newViewers, lists]) expect([...answers.keys()]).toEqual(['200']);
  });

  it('both parts of the credentials of a bucket are replaced together', async () => {
    const upload = async () => {
      const key = `content/${contentId}/${unique('file')}.ts`;
      const body = { key, contentType: 'video/mp2t' };
      const { json } = await server.client.post('/presign', present.ADMIN_API_KEY, body);
      const { searchParams } = new URL(json.url);
      server.client.credentials.add(searchParams.get('X-Amz-Signature') ?? '');
      return searchParams.get('X-Amz-Credential')?.split('/')[0];
    };
    expect(await upload()).toBe(secrets.AWS_ACCESS_KEY_ID);
    folder.write({ AWS_ACCESS_KEY_ID: 'AKIAI44QH8DHBEXAMPLE' });
    // Until the signal, half a change is no change.
    expect(await upload()).toBe(secrets.AWS_ACCESS_KEY_ID);
    await renew({ AWS_ACCESS_KEY_ID: 'AKIAI44QH8DHBEXAMPLE', AWS_SECRET_ACCESS_KEY: hex() });
    expect(await upload()).toBe('AKIAI44QH8DHBEXAMPLE');
  });

  it.each([
    ['too short', 'short-secret'],
    ['empty', ''],
  ])(
    'a file that is %s leaves all earlier values in use, and the log names its variable without its text',
    async (_, text) => {
      const { AUTH_JWT_SECRET, ADMIN_API_KEY } = present;
      const next = makeApiKey();
      const token = tokenBy(AUTH_JWT_SECRET);
      const before = server.process.stderr().length;
      await renew({ AUTH_JWT_SECRET: text, ADMIN_API_KEY: next });
      // A separate gateway knows neither secret, so it has nothing to refuse.
      const written = server.process.stderr().slice(before);
      expect(written).toMatch(/the earlier values stay in use\. .*AUTH_JWT_SECRET/);
      if (text !== '') expect(written).not.toContain(text);
      expect([await ask(token), await manage(ADMIN_API_KEY), await manage(next)]).toEqual([
        '200',
        '200',
        '401 INVALID_API_KEY',
      ]);
      await renew({ AUTH_JWT_SECRET, ADMIN_API_KEY });
      expect([await ask(token), await manage(ADMIN_API_KEY)]).toEqual(['200', '200']);
    },
  );

  it('another MASTER_KEY_HEX is not taken without a restart, and the log says so', async () => {
    const token = tokenBy(present.AUTH_JWT_SECRET);
    const readKey = async () => (await server.client.get(`/keys/${contentId}`, token)).bytes.toString('hex');
    const [key, before] = [await readKey(), server.process.stderr().length];
    folder.write({ MASTER_KEY_HEX: hex() });
    const seen = count(readings);
    server.process.kill('SIGHUP');
    try {
      await eventually(() => expect(count(readings)).toBe(seen + processes));
      expect(server.process.stderr().slice(before)).toMatch(/MASTER_KEY_HEX.* needs? a restart/);
      expect(await readKey()).toBe(key);
    } finally {
      await renew({ MASTER_KEY_HEX: masterKeyHex });
    }
    expect(await readKey()).toBe(key);
  });

  it('signals that come in quick succession are not lost: the last file counts', async () => {
    const keys = Array.from({ length: 5 }, makeApiKey);
    for (const key of keys) {
      server.client.credentials.add(key);
      folder.write({ ADMIN_API_KEY: key });
      server.process.kill('SIGHUP');
      await pause(5);
    }
    present = { ...present, ADMIN_API_KEY: keys.at(-1) ?? '' };
    await eventually(async () => expect(await manage(present.ADMIN_API_KEY)).toBe('200'));
    await eventually(async () => expect(await manage(keys.at(0) ?? '')).toBe('401 INVALID_API_KEY'));
  });
});
