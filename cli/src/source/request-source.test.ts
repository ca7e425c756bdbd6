import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../testing/listen.ts';
import { createSourceRequests, type SourceAccess, SourceUnavailable } from './request-source.ts';

const access: SourceAccess = {
  address: undefined,
  headers: {},
  timeoutMs: 5_000,
  signal: new AbortController().signal,
};
const few = { mostBytes: 1_000 };

/** A server whose requests are kept. */
async function serve(answer: (path: string, request: IncomingMessage, response: ServerResponse) => void) {
  const seen: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers });
    answer(request.url ?? '', request, response);
  };
  return { origin: await listen(listener), seen };
}

const redirect = (response: ServerResponse, location: string, cookie: string[] = []) =>
  void response.writeHead(302, { location, 'set-cookie': cookie }).end();

describe('redirects and cookies', () => {
  it('a redirect is followed, its cookie goes with the next requests, and the URL that answered is known', async () => {
    const { origin, seen } = await serve((path, { headers }, response) => {
      if (path === '/a.m3u8') redirect(response, '/live/a.m3u8?check=1', ['session=1; Path=/live']);
      else response.end(headers.cookie);
    });
    const read = createSourceRequests(access);
    const answer = await read(`${origin}/a.m3u8`, few);
    expect(answer.url).toBe(`${origin}/live/a.m3u8?check=1`);
    expect(answer.bytes?.toString()).toBe('session=1');
    await read(`${origin}/live/s1.ts`, few);
    await read(`${origin}/other/s1.ts`, few);
    expect(seen.slice(2).map(({ headers }) => headers.cookie)).toEqual(['session=1', undefined]);
  });

  it('of a server that sets a new cookie with each answer, the last 50 are kept', async () => {
    const { origin, seen } = await serve((path, _, response) => {
      const cookie = Array.from({ length: 30 }, (__, index) => `c${path.slice(1)}-${index}=1`);
      response.writeHead(200, { 'set-cookie': cookie }).end();
    });
    const read = createSourceRequests(access);
    for (const path of ['1', '2', '3', '4']) await read(`${origin}/${path}`, few);
    const sent = seen.at(-1)?.headers.cookie?.split('; ') ?? [];
    expect(sent).toHaveLength(50);
    expect(sent).toContain('c3-29=1');
  });

  it('redirects without an end are given up, and so is one to another protocol', async () => {
    const { origin, seen } = await serve((path, _, response) =>
      redirect(response, path === '/file' ? 'file:///etc/passwd' : `${path}x`),
    );
    const read = createSourceRequests(access);
    await expect(read(`${origin}/x`, few)).rejects.toThrow('more than 10 redirects');
    expect(seen).toHaveLength(11);
    await expect(read(`${origin}/file`, few)).rejects.toThrow('accepted: an http or https URL');
  });
});

describe('what an operator gave', () => {
  const headers = { authorization: 'Bearer canary', 'x-token': 'canary' };

  it('headers go to the origin of the address and to no other, whatever a redirect says', async () => {
    const other = await serve((_, __, response) => void response.writeHead(401).end());
    const own = await serve((_, __, response) => redirect(response, `${other.origin}/a?token=canary`));
    const address = `${own.origin}/a.m3u8`;
    const refusal = await createSourceRequests({ ...access, address, headers })(address, few).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(SourceUnavailable);
    expect(refusal).toMatchObject({
      status: 401,
      message: expect.stringContaining('No header was sent there'),
    });
    expect((refusal as Error).message).not.toContain('canary');
    expect(own.seen[0]?.headers).toMatchObject(headers);
    expect(other.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(other.seen[0]?.headers).not.toHaveProperty('x-token');
  });

  it('headers also go to the origins that were named for them', async () => {
    const { origin, seen } = await serve((_, __, response) => void response.end());
    await createSourceRequests({ ...access, headers, headerOrigins: [origin] })(`${origin}/a.key`, few);
    expect(seen[0]?.headers).toMatchObject(headers);
  });

  it('the user of the address is sent as Basic to all of its origin, and is in no message', async () => {
    const { origin, seen } = await serve((path, _, response) =>
      path === '/a' ? redirect(response, '/b') : void response.writeHead(403).end(),
    );
    const address = `${origin.replace('//', '//us%40er:canary@')}/a`;
    const read = createSourceRequests({ ...access, address });
    await expect(read(address, few)).rejects.toThrow(
      /^http:\/\/127[^@]*\/b, to which http:\/\/\*\*\*@.* answers 403$/,
    );
    const authorization = `Basic ${Buffer.from('us@er:canary').toString('base64')}`;
    expect(seen.map((request) => request.headers.authorization)).toEqual([authorization, authorization]);
  });

  it('a Cookie among the headers is sent together with the cookies of the source', async () => {
    const { origin, seen } = await serve((_, __, response) =>
      response.writeHead(200, { 'set-cookie': 'b=2' }).end(),
    );
    const read = createSourceRequests({ ...access, address: origin, headers: { cookie: 'a=1' } });
    await read(origin, few);
    await read(origin, few);
    expect(seen.map((request) => request.headers.cookie)).toEqual(['a=1', 'a=1; b=2']);
  });
});

describe('a redirect into a private network', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    '127.0.0.1',
    '[::1]',
    '10.1.2.3',
    '169.254.169.254',
    '[::ffff:192.168.0.1]',
    '0.0.0.0',
    '[fd00::1]',
  ])('a server outside cannot lead to %s', async (host) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      return new Response('', { status: 302, headers: { location: `http://${host}/latest` } });
    });
    const read = createSourceRequests(access);
    await expect(read('http://203.0.113.1/a.ts', few)).rejects.toThrow('in a private network');
    expect(asked).toEqual(['http://203.0.113.1/a.ts']);
  });
});

describe('limits', () => {
  it('a file that is too large, cut or slow is not available, and says why', async () => {
    const { origin } = await serve((path, _, response) => {
      if (path === '/large') response.end('x'.repeat(1_001));
      if (path === '/cut')
        response.writeHead(200, { 'content-length': 9 }).write('x', () => response.destroy());
      if (path === '/slow') response.write('x');
    });
    const read = createSourceRequests({ ...access, timeoutMs: 200 });
    await expect(read(`${origin}/large`, few)).rejects.toThrow('larger than 1000 bytes');
    await expect(read(`${origin}/cut`, few)).rejects.toThrow(SourceUnavailable);
    await expect(read(`${origin}/slow`, few)).rejects.toThrow('timeout');
  });

  it('a part of a file is the same from a server with and without ranges, and one that is too short is refused', async () => {
    const { origin } = await serve((path, { headers }, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      if (path === '/whole') return void response.end('0123456789');
      response.writeHead(206).end('0123456789'.slice(Number(from), Number(to) + 1));
    });
    const read = createSourceRequests(access);
    for (const path of ['whole', 'part']) {
      const { bytes } = await read(`${origin}/${path}`, { ...few, range: { offset: 3, length: 4 } });
      expect(bytes?.toString()).toBe('3456');
      const beyond = read(`${origin}/${path}`, { ...few, range: { offset: 8, length: 4 } });
      await expect(beyond).rejects.toThrow('too short');
    }
  });

  it('once the command ends, a request ends with its reason', async () => {
    const { origin } = await serve(() => {});
    const end = new AbortController();
    const request = createSourceRequests({ ...access, signal: end.signal })(origin, few);
    end.abort(new Error('interrupted'));
    await expect(request).rejects.toThrow('interrupted');
  });
});
