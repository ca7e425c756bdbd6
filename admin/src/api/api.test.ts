import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApi, toQuery } from './api.ts';
import { ApiError, UnreachableError, UnreadableError } from './api-error.ts';
import { createRateLimit } from './rate-limit.ts';

const problem = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });

function stage(answer: () => Promise<Response>, credential: string | null = 'lk_own') {
  const fetch = vi.fn<(url: string, options: RequestInit) => Promise<Response>>(answer);
  const reports = { contact: [] as boolean[], refused: [] as string[] };
  const api = createApi({
    fetch: fetch as never,
    credential: () => credential,
    onContact: (reached) => reports.contact.push(reached),
    rateLimit: createRateLimit(),
    onKeyRefused: (key) => reports.refused.push(key),
  });
  const sent = () => fetch.mock.calls.map(([url, { headers, body }]) => ({ url, headers, body }));
  return { api, reports, sent };
}

describe('a request', () => {
  it('a request carries the key of the session, a given key, or no key', async () => {
    const { api, sent } = stage(async () => Response.json({}));
    await api.request('GET', '/a');
    await api.request('GET', '/a', { credential: 'lk_other' });
    await api.request('POST', '/a', { credential: null, body: { name: 'x' } });
    expect(sent().map(({ headers }) => (headers as Headers).get('authorization'))).toEqual([
      'Bearer lk_own',
      'Bearer lk_other',
      null,
    ]);
    expect(sent()[2]?.body).toBe('{"name":"x"}');
  });

  it('an answer without a body resolves to undefined', async () => {
    const { api } = stage(async () => new Response(null, { status: 204 }));
    expect(await api.request('POST', '/a')).toBeUndefined();
  });

  it('an error has the code, detail and request ID of the problem document', async () => {
    const errors = [{ path: '/name', message: 'is too long' }];
    const { api } = stage(async () =>
      problem(
        429,
        { code: 'RATE_LIMITED', detail: 'Slowly.', requestId: 'r-1', errors },
        { 'retry-after': '7' },
      ),
    );
    const error = await api.request<never>('GET', '/a').catch((fault: ApiError) => fault);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      detail: 'Slowly.',
      requestId: 'r-1',
      retryAfterSeconds: 7,
    });
    expect([error.about('name'), error.about('scope')]).toEqual(['is too long', undefined]);
  });
});

describe('the contact with the server', () => {
  it('contact is lost if nothing answers, or if a proxy answers 502 or 504', async () => {
    for (const answer of [
      () => Promise.reject(new TypeError()),
      async () => new Response('', { status: 502 }),
    ]) {
      const { api, reports } = stage(answer);
      await expect(api.request('GET', '/a')).rejects.toBeInstanceOf(UnreachableError);
      expect(reports.contact).toEqual([false]);
    }
  });

  it('contact is kept if the server itself answers 503', async () => {
    const { api, reports } = stage(async () => problem(503, { code: 'DEPENDENCY_UNAVAILABLE' }));
    await expect(api.request('GET', '/a')).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(reports.contact).toEqual([true]);
  });

  it('contact is lost if an answer breaks off, and kept if a complete answer is not JSON', async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new TypeError('cut')) });
    const cut = stage(async () => new Response(broken));
    await expect(cut.api.request('POST', '/a')).rejects.toBeInstanceOf(UnreachableError);
    expect(cut.reports.contact).toEqual([true, false]);
    const strange = stage(async () => new Response('<html>Sign in to the network</html>'));
    await expect(strange.api.request('POST', '/a')).rejects.toBeInstanceOf(UnreadableError);
    expect(strange.reports.contact).toEqual([true]);
  });

  it('contact is not lost by a key that a header cannot carry', async () => {
    const { api, reports, sent } = stage(async () => Response.json({}));
    await expect(api.request('GET', '/a', { credential: 'lk_51b7d344…' })).rejects.toBeInstanceOf(TypeError);
    expect([reports.contact, sent()]).toEqual([[], []]);
  });

  it('a cancelled request does not change the contact', async () => {
    const { api, reports } = stage(() => Promise.reject(new DOMException('', 'AbortError')));
    await api.request('GET', '/a', { signal: AbortSignal.abort() }).catch(() => {});
    expect(reports.contact).toEqual([]);
  });
});

describe('a refused key', () => {
  const refuse = async () => problem(401, { code: 'INVALID_API_KEY' });

  it('a refused key ends the session only if it is the key of the session', async () => {
    const { api, reports } = stage(refuse);
    await api.request('GET', '/a', { credential: 'lk_typed' }).catch(() => {});
    expect(reports.refused).toEqual([]);
    await api.request('GET', '/a').catch(() => {});
    expect(reports.refused).toEqual(['lk_own']);
  });
});

describe('a read that is refused with 429', () => {
  it('a 429 holds back all other reads until Retry-After, but no actions', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { api, sent } = stage(async () => problem(429, { code: 'RATE_LIMITED' }, { 'retry-after': '7' }));
    const ask = (method: string) => api.request(method, '/a').catch((error: unknown) => error);
    await ask('GET');
    vi.advanceTimersByTime(2_000);
    expect(await ask('GET')).toMatchObject({ status: 429, retryAfterSeconds: 5 });
    expect(sent()).toHaveLength(1);
    await ask('POST');
    vi.advanceTimersByTime(5_000);
    await ask('GET');
    expect(sent()).toHaveLength(3);
  });
});

it('Retry-After can be a date', async () => {
  vi.useFakeTimers({ now: Date.UTC(2027, 0, 31, 12) });
  onTestFinished(() => void vi.useRealTimers());
  const date = new Date(Date.now() + 30_000).toUTCString();
  const { api } = stage(async () => new Response('', { status: 503, headers: { 'retry-after': date } }));
  const error = await api.request('GET', '/a').catch((fault: ApiError) => fault);
  expect(error).toMatchObject({ status: 503, code: 'HTTP_503', retryAfterSeconds: 30 });
});

describe('an answer that comes in pieces', () => {
  it('a streamed answer is returned unread, and errors throw as usual', async () => {
    const { api, sent } = stage(async () => new Response('1\n2\n'));
    const response = await api.open('/a', { query: { format: 'csv' } });
    expect([response.bodyUsed, await response.text()]).toEqual([false, '1\n2\n']);
    expect(sent().map(({ url }) => url)).toEqual(['/a?format=csv']);
    const refused = stage(async () => problem(403, { code: 'INSUFFICIENT_SCOPE' }));
    await expect(refused.api.open('/a', {})).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  });
});

it('a query leaves out undefined and empty members', () => {
  expect(toQuery({})).toBe('');
  expect(toQuery({ q: '', limit: 5, cursor: undefined, name: 'a&b' })).toBe('?limit=5&name=a%26b');
});
