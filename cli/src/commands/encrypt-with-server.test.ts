import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, answerProblem, startKeyServer } from '../testing/key-server.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { apiKey, apiKeyEnv, runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';

const files = {
  'f.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n#EXT-X-ENDLIST',
  'a.ts': 'a',
  'b.ts': 'b',
};
const keyOfPath = (path = '') => Buffer.alloc(16, path);
const answerKey: Answer = (request, response) => void response.end(keyOfPath(request.url));

async function encrypt(answer: Answer, more: readonly string[] = [], variables = apiKeyEnv) {
  const server = await startKeyServer(answer);
  const folder = writeFiles(temporaryFolder(), files);
  const out = join(folder, 'out');
  const args = ['encrypt', join(folder, 'f.m3u8'), '--content-id', 'film', '--out', out];
  const ran = await runCommand([...args, '--server', server.url, ...more], { env: variables });
  return { ...ran, ...server, out };
}

describe('latchkey encrypt with keys from a server', () => {
  it('encrypt requests each key once with the API key, and writes the URL of the server into the playlist', async () => {
    const { exitCode, seen, out, url } = await encrypt(answerKey, ['--rotate-every', '1']);
    expect(exitCode).toBe(0);
    expect(seen).toEqual(
      ['/keys/film/0', '/keys/film/1'].map((path) => ({
        line: `GET ${path}`,
        authorization: `Bearer ${apiKey}`,
        body: '',
      })),
    );
    const [played] = playPresentation(join(out, 'f.m3u8'), (keyUrl) => keyOfPath(keyUrl.slice(url.length)));
    expect(played?.segments.map(({ clear }) => clear.toString())).toEqual(['a', 'b']);
  });

  it.each(['a-bootstrap-key-of-the-operator-0123', 'changeme', 'lk_short', '!"#$%&/()=?'])(
    'encrypt sends the bootstrap key %s, which may have any form',
    async (bootstrapKey) => {
      const { exitCode, seen } = await encrypt(answerKey, [], { LATCHKEY_API_KEY: bootstrapKey });
      expect(exitCode).toBe(0);
      expect(seen.map(({ authorization }) => authorization)).toEqual([`Bearer ${bootstrapKey}`]);
    },
  );

  it.each(['with space', 'ümlaut', 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln'])(
    'encrypt refuses %s, which cannot be an API key, without a request and without showing it',
    async (wrong) => {
      const { exitCode, seen, stderr } = await encrypt(answerKey, [], { LATCHKEY_API_KEY: wrong });
      expect([exitCode === 0, seen]).toEqual([false, []]);
      expect(stderr).toContain('LATCHKEY_API_KEY');
      expect(stderr).not.toContain(wrong);
    },
  );

  it('--key-url replaces the URL of the server in the playlist', async () => {
    const { out } = await encrypt(answerKey, ['--key-url', 'https://keys.example.com/base/']);
    const [played] = playPresentation(join(out, 'f.m3u8'), () => keyOfPath('/keys/film'));
    expect(played?.segments[0]?.keyUrl).toBe('https://keys.example.com/base/keys/film');
  });

  it('encrypt retries a 503 after its Retry-After', async () => {
    const { exitCode, waits } = await encrypt((request, response, n) => {
      if (n >= 2) return answerKey(request, response, n);
      const headers = n === 0 ? { 'retry-after': '7' } : {};
      answerProblem(response, 503, 'DEPENDENCY_UNAVAILABLE', 'Not now.', headers);
    });
    expect({ exitCode, waits }).toEqual({ exitCode: 0, waits: [7, 1] });
  });

  it('encrypt waits for a rate limit, but never longer than two minutes', async () => {
    const { exitCode, waits } = await encrypt((request, response, n) => {
      if (n === 1) return answerKey(request, response, n);
      answerProblem(response, 429, 'RATE_LIMITED', 'Slower.', { 'retry-after': '999999' });
    });
    expect({ exitCode, waits }).toEqual({ exitCode: 0, waits: [120] });
  });

  it('encrypt gives up after five 503s', async () => {
    const { exitCode, stderr, seen } = await encrypt((_, response) =>
      answerProblem(response, 503, 'DEPENDENCY_UNAVAILABLE', 'Not now.'),
    );
    expect(exitCode).toBe(1);
    expect(seen).toHaveLength(5);
    expect(stderr).toContain('503 DEPENDENCY_UNAVAILABLE: Not now.');
  });

  it.each([
    [401, 'INVALID_API_KEY', 'The API key is not accepted.'],
    [403, 'INSUFFICIENT_SCOPE', 'The scope upload does not read keys.'],
    [404, 'CONTENT_NOT_FOUND', 'No such content.'],
    [500, 'INTERNAL', 'The server failed unexpectedly.'],
  ])(
    'encrypt shows the detail of a %i %s after one request, and leaves nothing',
    async (status, code, detail) => {
      const { exitCode, stderr, seen, out, url } = await encrypt((_, response) =>
        answerProblem(response, status, code, detail),
      );
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`GET ${url}/keys/film: ${status} ${code}: ${detail}`);
      expect(stderr.includes('--register')).toBe(code === 'CONTENT_NOT_FOUND');
      expect(stderr).not.toContain(apiKey);
      expect(seen).toHaveLength(1);
      expect(existsSync(out)).toBe(false);
    },
  );

  it.each([0, 15, 17, 32])('encrypt refuses a key of %i bytes', async (size) => {
    const { exitCode, stderr, out } = await encrypt((_, response) => void response.end(Buffer.alloc(size)));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`answered ${size} bytes; a content key has exactly 16`);
    expect(existsSync(out)).toBe(false);
  });

  it('encrypt does not follow a redirect with the API key', async () => {
    const { exitCode, stderr, seen } = await encrypt((_, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('a redirect to /elsewhere');
    expect(seen).toHaveLength(1);
  });

  it('encrypt shows the status of an answer that only a proxy can have made', async () => {
    const { exitCode, stderr } = await encrypt((_, response) => void response.writeHead(502).end('<html>'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('/keys/film: 502');
  });

  it('encrypt reports that a server cannot be reached', async () => {
    const folder = writeFiles(temporaryFolder(), files);
    // Port 9 is "discard" (RFC 863): nothing listens there, and nothing may.
    const args = ['encrypt', join(folder, 'f.m3u8'), '--content-id', 'film', '--out', join(folder, 'out')];
    const { exitCode, stderr } = await runCommand([...args, '--server', 'http://127.0.0.1:9'], {
      env: apiKeyEnv,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('--server http://127.0.0.1:9 cannot be reached');
  });

  it('if only what --register states cannot be stated, encrypt exits 1, keeps the complete folder and prints what to state', async () => {
    const answer: Answer = (request, response, n) => {
      if (request.method === 'PATCH')
        return answerProblem(response, 403, 'INSUFFICIENT_SCOPE', 'This key does not write content.');
      if (n === 0) return void response.end(JSON.stringify({ content: { keyPeriods: null } }));
      answerKey(request, response, n);
    };
    const { exitCode, stderr, out } = await encrypt(answer, ['--register', '--rotate-every', '1']);
    expect([exitCode, existsSync(join(out, 'f.m3u8'))]).toEqual([1, true]);
    expect(stderr).toContain('is complete, but the server has not got what --register states');
    expect(stderr).toContain('This key does not write content.');
    expect(stderr).toContain(
      'key periods of film: {"keyPeriods":{"mode":"sequence","count":2,"periodSeconds":2}}',
    );
  });

  it.each([
    [6, 0],
    [7, 1],
  ])(
    '--register waits while a replica still has the old key periods: after %i such answers, encrypt exits %i',
    async (staleAnswers, expected) => {
      let stale = staleAnswers;
      const answer: Answer = (request, response, n) => {
        const keyPeriods = { mode: 'sequence', count: 1, periodSeconds: 2 };
        if (!request.url?.startsWith('/keys/'))
          return void response.end(JSON.stringify({ content: { keyPeriods } }));
        if (request.url !== '/keys/film/1' || stale-- <= 0) return answerKey(request, response, n);
        answerProblem(response, 404, 'EPOCH_NOT_FOUND', 'The content has no such period.');
      };
      const { exitCode, waits } = await encrypt(answer, ['--register', '--rotate-every', '1']);
      expect({ exitCode, waits }).toEqual({ exitCode: expected, waits: Array(6).fill(1) });
    },
  );

  it('without --register, encrypt does not wait for an epoch that the content does not have', async () => {
    const { exitCode, waits } = await encrypt(
      (_, response) => answerProblem(response, 404, 'EPOCH_NOT_FOUND', 'The content has no such period.'),
      ['--rotate-every', '1'],
    );
    expect({ exitCode, waits }).toEqual({ exitCode: 1, waits: [] });
  });
});
