import { describe, expect, it } from 'vitest';
import { createFakePorts } from './testing/fake-ports.ts';
import { lazyFile, textFile, uploadHere } from './testing/upload-here.ts';
import { uploadFiles } from './upload-files.ts';
import type { UploadFile } from './upload-options.ts';

const playlist = (path: string, ...names: string[]) => textFile(path, ['#EXTM3U', ...names].join('\n'));
const pathOf = ({ url }: { url: string }) => new URL(url).pathname.replace('/content/film/', '');

describe('what is asked and sent', () => {
  it('each file gets a presigned URL with its own token, and is sent with the headers of the answer', async () => {
    const { ports, presigns, puts } = createFakePorts();
    let tokens = 0;
    const files = [textFile('720p/00001.ts'), textFile('init.mp4'), textFile('notes')];
    const result = await uploadHere(files, ports, { auth: async () => `token-${tokens++}`, concurrency: 1 });

    expect(presigns).toEqual([
      { token: 'token-0', key: 'content/film/720p/00001.ts', contentType: 'video/mp2t', contentLength: 13 },
      { token: 'token-1', key: 'content/film/init.mp4', contentType: 'video/mp4', contentLength: 8 },
      {
        token: 'token-2',
        key: 'content/film/notes',
        contentType: 'application/octet-stream',
        contentLength: 5,
      },
    ]);
    expect(puts.map(({ url, headers, size }) => [url, headers, size])).toEqual([
      ['https://store/content/film/720p/00001.ts?n=0', { 'Content-Type': 'video/mp2t' }, 13],
      ['https://store/content/film/init.mp4?n=1', { 'Content-Type': 'video/mp4' }, 8],
      ['https://store/content/film/notes?n=2', { 'Content-Type': 'application/octet-stream' }, 5],
    ]);
    expect(await new Response(puts[0]?.body).text()).toBe('720p/00001.ts');
    expect(result).toMatchObject({ complete: true, totalBytes: 26, uploadedBytes: 26, skippedBytes: 0 });
    expect(result.files[0]).toEqual({
      path: '720p/00001.ts',
      key: 'content/film/720p/00001.ts',
      status: 'uploaded',
      size: 13,
      attempts: 1,
      etag: '"e"',
    });
  });

  it.each<[string, UploadFile, string]>([
    ['by the extension', textFile('a.M3U8'), 'application/vnd.apple.mpegurl'],
    ['of subtitles', textFile('a.vtt'), 'text/vtt'],
    ['of a fragment', textFile('a.m4s'), 'video/mp4'],
    ['that the caller says', { ...textFile('a.ts'), contentType: 'video/x' }, 'video/x'],
    ['of a Blob', { path: 'a', data: new Blob(['x'], { type: 'image/gif' }) }, 'image/gif'],
  ])('a file has the type %s', async (_, file, contentType) => {
    const { ports, presigns } = createFakePorts();
    await uploadHere([file], ports);
    expect(presigns[0]?.contentType).toBe(contentType);
  });

  it('playlists and manifests get one Cache-Control, and all other files another one', async () => {
    const { ports, puts } = createFakePorts();
    const cacheControl = { playlists: 'no-cache', segments: 'public, max-age=31536000, immutable' };
    const files = ['a.ts', 'init.mp4', 'a.vtt', 'master.m3u8', 'old.m3u', 'dash.MPD'].map((path) =>
      textFile(path),
    );
    await uploadHere(files, ports, { cacheControl });
    const sent = new Map(puts.map((request) => [pathOf(request), request.headers['Cache-Control']]));
    for (const path of ['a.ts', 'init.mp4', 'a.vtt']) expect(sent.get(path)).toBe(cacheControl.segments);
    for (const path of ['master.m3u8', 'old.m3u', 'dash.MPD']) expect(sent.get(path)).toBe('no-cache');
  });

  it('at most `concurrency` files are sent at the same time', async () => {
    let running = 0;
    let most = 0;
    const { ports } = createFakePorts({
      async answerPut() {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return {};
      },
    });
    const files = Array.from({ length: 20 }, (_, n) => lazyFile(`${n}.ts`));
    await uploadHere(files, ports, { concurrency: 3 });
    expect(most).toBe(3);
  });
});

describe('the order', () => {
  const files = [
    playlist('master.m3u8', '#EXT-X-STREAM-INF:BANDWIDTH=1', '720p/index.m3u8'),
    playlist('720p/index.m3u8', '#EXT-X-MAP:URI="init.mp4"', '1.m4s', '2.m4s'),
    ...['720p/init.mp4', '720p/1.m4s', '720p/2.m4s'].map((path) => textFile(path)),
    playlist('other.m3u8', '3.ts'),
    textFile('3.ts'),
  ];

  it('segments are sent first, then media playlists, then the multivariant one, each after all before are acknowledged', async () => {
    const acknowledged: string[] = [];
    const atBegin = new Map<string, number>();
    const { ports } = createFakePorts({
      async answerPut(_, request) {
        atBegin.set(pathOf(request), acknowledged.length);
        await new Promise(setImmediate);
        acknowledged.push(pathOf(request));
        return {};
      },
    });
    const { complete } = await uploadHere(files, ports);
    expect(complete).toBe(true);
    expect(atBegin.get('720p/index.m3u8')).toBeGreaterThanOrEqual(4);
    expect(atBegin.get('other.m3u8')).toBeGreaterThanOrEqual(4);
    expect(atBegin.get('master.m3u8')).toBe(6);
  });

  it('only a playlist that names a failed file is held back', async () => {
    const { ports } = createFakePorts({
      answerPut: (_, request) => (pathOf(request) === '720p/2.m4s' ? { status: 400 } : {}),
    });
    const { files: results, complete } = await uploadHere(files, ports);
    expect(complete).toBe(false);
    expect(results.map(({ path, status, error }) => [path, status, error?.code])).toEqual([
      ['master.m3u8', 'failed', 'NAMED_FILE_MISSING'],
      ['720p/index.m3u8', 'failed', 'NAMED_FILE_MISSING'],
      ['720p/init.mp4', 'uploaded', undefined],
      ['720p/1.m4s', 'uploaded', undefined],
      ['720p/2.m4s', 'failed', 'STORE_REFUSED'],
      ['other.m3u8', 'uploaded', undefined],
      ['3.ts', 'uploaded', undefined],
    ]);
    expect(results[1]?.error?.message).toContain('720p/2.m4s');
  });

  it('names of files outside the upload do not hold a playlist back', async () => {
    const { ports } = createFakePorts();
    expect((await uploadHere([playlist('a.m3u8', 'uploaded-before.ts')], ports)).complete).toBe(true);
  });
});

describe('refused without a request', () => {
  it.each<[string, UploadFile]>([
    ['a content key', textFile('keys/enc.KEY')],
    ['a way out of the folder', textFile('../a.ts')],
    ['an absolute path', textFile('/a.ts')],
    ['an empty path', textFile('')],
    ['an empty part', textFile('a//b.ts')],
    ['a function without a size', { path: 'a.ts', data: () => new Blob(['x']) }],
  ])('%s fails without a request, and other files are sent', async (_, file) => {
    const { ports, presigns } = createFakePorts();
    const { files } = await uploadHere([file, textFile('ok.ts')], ports);
    expect(files.map(({ status, error, attempts }) => [status, error?.code, attempts])).toEqual([
      ['failed', 'INVALID_FILE', 0],
      ['uploaded', undefined, 1],
    ]);
    expect(presigns).toHaveLength(1);
  });

  it('a path that occurs twice fails without a request', async () => {
    const { ports } = createFakePorts();
    const { files } = await uploadHere([textFile('a.ts', '1'), textFile('a.ts', '2')], ports);
    expect(files.map(({ status, error }) => [status, error?.code])).toEqual([
      ['uploaded', undefined],
      ['failed', 'INVALID_FILE'],
    ]);
  });

  it.each([
    ['auth', undefined],
    ['auth', 'lk_secret'],
    ['contentId', undefined],
    ['contentId', 5],
    ['contentId', 'a/b'],
    ['keyServerUrl', undefined],
    ['keyServerUrl', '/keys'],
    ['keyServerUrl', 'ftp://x'],
    ['keyServerUrl', 'https://keys.example.com/?a=b'],
    ['cacheControl', 'no-cache'],
    ['cacheControl', { playlists: 60 }],
    ['concurrency', 0],
    ['attempts', 1.5],
    ['onProgress', 'log'],
    ['exists', true],
    ['signal', {}],
    ['memory', {}],
  ])('an upload whose %s is %j throws without a request, and names the option', async (name, value) => {
    const { ports, presigns } = createFakePorts();
    const upload = uploadHere([textFile('a.ts')], ports, { [name]: value });
    const error = await upload.catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'UploadError', code: 'INVALID_OPTIONS' });
    expect(error.message).toMatch(new RegExp(`^${name}: `));
    expect(error.message).not.toContain('lk_secret');
    expect(presigns).toEqual([]);
  });

  it('an upload without options or files throws with the names of all that is missing', async () => {
    const { ports } = createFakePorts();
    for (const options of [undefined, null, {}]) {
      const error = await uploadFiles(undefined as never, options as never, ports).catch((thrown) => thrown);
      expect(error.code).toBe('INVALID_OPTIONS');
      for (const name of ['auth', 'contentId', 'keyServerUrl', 'files'])
        expect(error.message).toContain(`${name}: `);
    }
    const error = await uploadHere([textFile('a.ts'), {} as never], ports).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', message: expect.stringContaining('files[1]') });
  });

  it('a file without data fails alone', async () => {
    const { ports } = createFakePorts();
    const { files } = await uploadHere([{ path: 'a.ts' } as never, textFile('b.ts')], ports);
    expect(files).toMatchObject([{ error: { code: 'INVALID_FILE' } }, { status: 'uploaded' }]);
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [7, 'a number'],
    [{ token: 'secret' }, 'an object'],
    ['', 'an empty string'],
  ])(
    'a token that is %j is AUTH_FAILED before any request, with its type in the message',
    async (given, kind) => {
      const { ports, presigns } = createFakePorts();
      const { files } = await uploadHere([textFile('a.ts')], ports, { auth: async () => given as string });
      expect(files[0]).toMatchObject({ attempts: 1, error: { code: 'AUTH_FAILED' } });
      expect(files[0]?.error?.message).toBe(`auth() gave ${kind}; accepted: a token as a string`);
      expect(presigns).toEqual([]);
    },
  );
});
