import { describe, expect, it } from 'vitest';
import { createFakePorts, givePresigned, problem } from './testing/fake-ports.ts';
import { textFile, uploadHere } from './testing/upload-here.ts';

const file = textFile('a.ts', '0123456789');
const fault = new TypeError('fetch failed');

describe('tried again', () => {
  it('a presign request is retried after a network fault, a 503 and a 429, after the Retry-After of each', async () => {
    const give = givePresigned();
    const answers = [
      fault,
      problem(503, 'DEPENDENCY_UNAVAILABLE'),
      problem(429, 'RATE_LIMITED', { 'retry-after': '7' }),
    ];
    const { ports, waits } = createFakePorts({
      answerPresign: (n, request) => answers[n] ?? give(n, request),
    });
    const { files } = await uploadHere([file], ports);
    expect(files[0]).toMatchObject({ status: 'uploaded', attempts: 4 });
    expect(waits).toEqual([375, 750, 7_500]);
  });

  it.each([500, 502, 503, 429, 408])('a PUT is retried after a %i with the same URL', async (status) => {
    const { ports, presigns, waits } = createFakePorts({
      answerPut: (n) => ({ status: n < 2 ? status : 200 }),
    });
    const { files } = await uploadHere([file], ports);
    expect(files[0]).toMatchObject({ status: 'uploaded', attempts: 3 });
    expect([presigns.length, waits]).toEqual([1, [375, 750]]);
  });

  it('a PUT is retried after the Retry-After of the store', async () => {
    const { ports, waits } = createFakePorts({
      answerPut: (n) => (n === 0 ? { status: 503, retryAfter: '4' } : {}),
    });
    await uploadHere([file], ports);
    expect(waits).toEqual([4_500]);
  });

  it('a PUT is retried after a 400 RequestTimeout of S3', async () => {
    const text = '<Error><Code>RequestTimeout</Code></Error>';
    const { ports } = createFakePorts({ answerPut: (n) => (n === 0 ? { status: 400, text } : {}) });
    expect((await uploadHere([file], ports)).complete).toBe(true);
  });

  it('a PUT is retried after a network fault with a fresh URL, since in a browser a refusal may look like one', async () => {
    const { ports, presigns, puts } = createFakePorts({ answerPut: (n) => (n === 0 ? fault : {}) });
    expect((await uploadHere([file], ports)).complete).toBe(true);
    expect([presigns.length, puts.map(({ url }) => url.slice(-3))]).toEqual([2, ['n=0', 'n=1']]);
  });

  it('a PUT without progress for a minute is retried, although the clock was set back by a day meanwhile', async () => {
    const { ports, stall, setClock, puts } = createFakePorts({
      answerPut(n, { signal }) {
        if (n > 0) return {};
        setClock(-86_400_000);
        setImmediate(stall);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      },
    });
    expect((await uploadHere([file], ports)).complete).toBe(true);
    expect(puts).toHaveLength(2);
  });

  it('a PUT to an expired URL (403) is retried at once with a fresh one', async () => {
    const { ports, presigns, waits } = createFakePorts({
      answerPut: (n) => (n === 0 ? { status: 403, text: '<Code>AccessDenied</Code>' } : {}),
    });
    const { files } = await uploadHere([file], ports);
    expect(files[0]).toMatchObject({ status: 'uploaded', attempts: 2 });
    expect([presigns.length, waits]).toEqual([2, []]);
  });

  it('a retry uses a fresh URL if the old one expires within 10 s', async () => {
    const give = givePresigned('2026-11-21T12:00:12.000Z');
    const { ports, presigns, elapse } = createFakePorts({
      answerPresign: give,
      answerPut(n) {
        elapse(1_000);
        return { status: n < 2 ? 500 : 200 };
      },
    });
    await uploadHere([file], ports);
    // Begun again after 1.375 s with 10.6 s to go, and after 3.1 s with less than 10 s.
    expect(presigns).toHaveLength(2);
  });

  it('a clock that is hours ahead of the server does not block an upload', async () => {
    const give = givePresigned('2026-11-21T09:00:00.000Z');
    const { ports, presigns } = createFakePorts({ answerPresign: give });
    expect((await uploadHere([file], ports)).complete).toBe(true);
    expect(presigns).toHaveLength(1);
  });

  it('a presign request with a refused token (401) is retried once with another token', async () => {
    const give = givePresigned();
    let tokens = 0;
    const { ports, presigns, waits } = createFakePorts({
      answerPresign: (n, request) =>
        request.token === 't0' ? problem(401, 'INVALID_TOKEN') : give(n, request),
    });
    expect((await uploadHere([file], ports, { auth: () => `t${tokens++}` })).complete).toBe(true);
    expect([presigns.map(({ token }) => token), waits]).toEqual([['t0', 't1'], []]);
  });
});

describe('given up', () => {
  it('a file fails after `attempts` attempts with the last reason', async () => {
    const { ports, puts } = createFakePorts({
      answerPut: () => ({ status: 503, text: '<Code>SlowDown</Code>' }),
    });
    const { files } = await uploadHere([file], ports, { attempts: 3 });
    expect(puts).toHaveLength(3);
    expect(files[0]).toMatchObject({ status: 'failed', attempts: 3 });
    expect(files[0]?.error).toMatchObject({ code: 'STORE_UNAVAILABLE', status: 503, serverCode: 'SlowDown' });
  });

  it('by default a file fails after eight attempts and about a minute', async () => {
    const { ports, waits } = createFakePorts({ answerPresign: () => fault });
    const { files } = await uploadHere([file], ports);
    expect(files[0]).toMatchObject({ status: 'failed', attempts: 8, error: { code: 'PRESIGN_UNAVAILABLE' } });
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(45_000);
  });

  it.each([
    [400, 'VALIDATION_FAILED', 1],
    [401, 'INVALID_TOKEN', 2],
    [403, 'INSUFFICIENT_SCOPE', 1],
    [404, 'CONTENT_NOT_FOUND', 1],
  ])('a file fails after a %i %s of the key server and %i requests', async (status, code, asked) => {
    const { ports, presigns, puts, waits } = createFakePorts({ answerPresign: () => problem(status, code) });
    const { files } = await uploadHere([file], ports);
    expect([presigns.length, puts.length, waits]).toEqual([asked, 0, []]);
    expect(files[0]?.error).toMatchObject({ code: 'PRESIGN_REFUSED', status, serverCode: code });
    expect(files[0]?.error?.message).toContain('In words.');
  });

  it.each([
    [400, 'EntityTooLarge', 1],
    [403, 'SignatureDoesNotMatch', 2],
    [404, 'NoSuchBucket', 1],
    [307, 'TemporaryRedirect', 1],
    [501, 'NotImplemented', 1],
  ])('a file fails after a %i %s of the store and %i requests', async (status, code, sent) => {
    const text = `<Error><Code>${code}</Code></Error>`;
    const { ports, puts } = createFakePorts({ answerPut: () => ({ status, text }) });
    const { files } = await uploadHere([file], ports);
    expect(puts).toHaveLength(sent);
    expect(files[0]?.error).toMatchObject({ code: 'STORE_REFUSED', status, serverCode: code });
  });

  it('a file fails without a request if auth() throws', async () => {
    const { ports, presigns } = createFakePorts();
    const auth = () => Promise.reject(new Error('signed out'));
    const { files } = await uploadHere([file], ports, { auth });
    expect(files[0]?.error).toMatchObject({ code: 'AUTH_FAILED', message: 'auth() failed: signed out' });
    expect(presigns).toEqual([]);
  });

  it('a file fails without a request if auth() does not answer within 30 s', async () => {
    const { ports, presigns, stall } = createFakePorts();
    const auth = () =>
      new Promise<string>(() => {
        setImmediate(() => stall());
      });
    const { files } = await uploadHere([file], ports, { auth });
    expect(files[0]).toMatchObject({ attempts: 1, error: { code: 'AUTH_FAILED' } });
    expect(presigns).toEqual([]);
  });

  it.each(['lk_0123…', 'two\nlines'])(
    'a file fails without a request if auth() returns what no header can carry (%j), which the message does not show',
    async (token) => {
      const { ports, presigns, waits } = createFakePorts();
      const { files } = await uploadHere([file], ports, { auth: () => token });
      expect(files[0]).toMatchObject({ attempts: 1, error: { code: 'AUTH_FAILED' } });
      expect([files[0]?.error?.cause, files[0]?.error?.message.includes(token)]).toEqual([undefined, false]);
      expect([presigns, waits]).toEqual([[], []]);
    },
  );

  it('a file fails if the answer is not a presigned URL', async () => {
    const { ports } = createFakePorts({ answerPresign: () => ({ status: 200, json: { hello: 'world' } }) });
    expect((await uploadHere([file], ports)).files[0]?.error?.code).toBe('PRESIGN_REFUSED');
  });

  it('a file fails that cannot be opened, or now has another size', async () => {
    const { ports, puts } = createFakePorts();
    const gone = { path: 'gone.ts', size: 1, data: () => Promise.reject(new Error('ENOENT')) };
    const grown = { path: 'grown.ts', size: 1, data: () => new Blob(['xy']) };
    const { files } = await uploadHere([gone, grown], ports);
    expect(files.map(({ error }) => error?.code)).toEqual(['READ_FAILED', 'READ_FAILED']);
    expect(puts).toEqual([]);
  });
});
