import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApi, keyOf, toQuery } from './api.ts';
import { ApiError, fieldFaultsOf, UnreachableError, UnreadableError } from './api-error.ts';
import { createRateLimit } from './rate-limit.ts';

const path = '/api/v1/api-keys';

const problem = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });

function stage(answer: () => Promise<Response>, credential: string | null = 'lk_own') {
  const fetch = vi.fn<(url: string, init: RequestInit) => Promise<Response>>(answer);
  const reports = { contact: [] as boolean[], refused: [] as string[] };
  const api = createApi({
    fetch: fetch as never,
    credential: () => credential,
    onContact: (reached) => reports.contact.push(reached),
    rateLimit: createRateLimit(),
    onKeyRefused: (key) => reports.refused.push(key),
  });
  const sent = () =>
    fetch.mock.calls.map(([url, { body, headers }]) => ({ url, body, headers: headers as Headers }));
  return { api, reports, sent };
}

describe('a request', () => {
  it('a request carries the key of the session, a given key, or no key', async () => {
    const { api, sent } = stage(async () => Response.json({}));
    await api.call('get', path, {});
    await api.call('get', path, { credential: 'lk_other' });
    await api.call('post', path, { credential: null, body: { name: 'x' } });
    expect(sent().map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer lk_own',
      'Bearer lk_other',
      null,
    ]);
    expect(sent()[2]?.body).toBe('{"name":"x"}');
    expect(sent().map(({ headers }) => headers.get('x-requested-with'))).toEqual(
      Array(3).fill('latchkey-dashboard'),
    );
  });

  it('a request has its parameters in the path, escaped, in the query and in headers', async () => {
    const { api, sent } = stage(async () => Response.json({}));
    const viewerId = 'a/b c';
    await api.call('put', '/api/v1/viewers/{viewerId}/block', {
      params: { path: { viewerId }, query: { wait: 'applied' } },
      body: { until: null },
    });
    const header = { prefer: 'return=minimal' };
    await api.call('get', '/api/v1/leases', { params: { query: { viewerId, cursor: null }, header } });
    expect(sent().map(({ url }) => url)).toEqual([
      '/api/v1/viewers/a%2Fb%20c/block?wait=applied',
      '/api/v1/leases?viewerId=a%2Fb+c',
    ]);
    expect(sent()[1]?.headers.get('prefer')).toBe('return=minimal');
  });

  it('an answer without a body resolves to undefined', async () => {
    const { api } = stage(async () => new Response(null, { status: 204 }));
    expect(await api.call('delete', '/api/v1/marks/{id}', { params: { path: { id: 'm' } } })).toBeUndefined();
  });

  it('an error has the code, detail and request ID of the problem document', async () => {
    const errors = [
      { path: '/name', message: 'is too long' },
      { path: '/contents/12', message: 'is no prefix' },
      { path: '/keyPeriods/origin', message: 'is no time' },
    ];
    const { api } = stage(async () =>
      problem(
        429,
        { code: 'RATE_LIMITED', detail: 'Slowly.', requestId: 'r-1', errors },
        { 'retry-after': '7' },
      ),
    );
    const error = await api.call('get', path, {}).catch((fault: ApiError) => fault);
    if (!(error instanceof ApiError)) throw new Error('It has answered.');
    expect(error).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      detail: 'Slowly.',
      requestId: 'r-1',
      retryAfterSeconds: 7,
    });
    expect(fieldFaultsOf(error)).toEqual({
      name: errors[0]?.message,
      contents: errors[1]?.message,
      'keyPeriods.origin': errors[2]?.message,
    });
  });
});

describe('the contact with the server', () => {
  it('contact is lost if nothing answers, or if a proxy answers 502 or 504', async () => {
    for (const answer of [
      () => Promise.reject(new TypeError()),
      async () => new Response('', { status: 502 }),
    ]) {
      const { api, reports } = stage(answer);
      await expect(api.call('get', path, {})).rejects.toBeInstanceOf(UnreachableError);
      expect(reports.contact).toEqual([false]);
    }
  });

  it('contact is kept if the server itself answers 503', async () => {
    const { api, reports } = stage(async () => problem(503, { code: 'DEPENDENCY_UNAVAILABLE' }));
    await expect(api.call('get', path, {})).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(reports.contact).toEqual([true]);
  });

  it('contact is lost if an answer breaks off, and kept if a complete answer is not JSON', async () => {
    const body = { name: 'x' };
    const broken = new ReadableStream({ start: (controller) => controller.error(new TypeError('cut')) });
    const cut = stage(async () => new Response(broken));
    await expect(cut.api.call('post', path, { body })).rejects.toBeInstanceOf(UnreachableError);
    expect(cut.reports.contact).toEqual([true, false]);
    const strange = stage(async () => new Response('<html>Sign in to the network</html>'));
    await expect(strange.api.call('post', path, { body })).rejects.toBeInstanceOf(UnreadableError);
    expect(strange.reports.contact).toEqual([true]);
  });

  it('contact is not lost by a key that a header cannot carry', async () => {
    const { api, reports, sent } = stage(async () => Response.json({}));
    await expect(api.call('get', path, { credential: 'lk_51b7d344…' })).rejects.toBeInstanceOf(TypeError);
    expect([reports.contact, sent()]).toEqual([[], []]);
  });

  it('a cancelled request does not change the contact', async () => {
    const { api, reports } = stage(() => Promise.reject(new DOMException('', 'AbortError')));
    await api.call('get', path, { signal: AbortSignal.abort() }).catch(() => {});
    expect(reports.contact).toEqual([]);
  });
});

describe('a refused key', () => {
  const refuse = async () => problem(401, { code: 'INVALID_API_KEY' });

  it('a refused key ends the session only if it is the key of the session', async () => {
    const { api, reports } = stage(refuse);
    await api.call('get', path, { credential: 'lk_typed' }).catch(() => {});
    expect(reports.refused).toEqual([]);
    await api.call('get', path, {}).catch(() => {});
    expect(reports.refused).toEqual(['lk_own']);
  });
});

describe('a read that is refused with 429', () => {
  it('a 429 holds back all other reads until Retry-After, but no actions', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { api, sent } = stage(async () => problem(429, { code: 'RATE_LIMITED' }, { 'retry-after': '7' }));
    const read = () => api.call('get', path, {}).catch((error: unknown) => error);
    await read();
    vi.advanceTimersByTime(2_000);
    expect(await read()).toMatchObject({ status: 429, retryAfterSeconds: 5 });
    expect(sent()).toHaveLength(1);
    await api.call('post', path, { body: { name: 'x' } }).catch(() => {});
    vi.advanceTimersByTime(5_000);
    await read();
    expect(sent()).toHaveLength(3);
  });
});

it('Retry-After can be a date', async () => {
  vi.useFakeTimers({ now: Date.UTC(2027, 0, 31, 12) });
  onTestFinished(() => void vi.useRealTimers());
  const date = new Date(Date.now() + 30_000).toUTCString();
  const { api } = stage(async () => new Response('', { status: 503, headers: { 'retry-after': date } }));
  const error = await api.call('get', path, {}).catch((fault: ApiError) => fault);
  expect(error).toMatchObject({ status: 503, code: 'HTTP_503', retryAfterSeconds: 30 });
});

describe('an answer that comes in pieces', () => {
  it('a streamed answer is returned unread, and errors throw as usual', async () => {
    const { api, sent } = stage(async () => new Response('1\n2\n'));
    const response = await api.open('/api/v1/audit/export', { params: { query: { format: 'csv' } } });
    expect([response.bodyUsed, await response.text()]).toEqual([false, '1\n2\n']);
    expect(sent().map(({ url }) => url)).toEqual(['/api/v1/audit/export?format=csv']);
    const refused = stage(async () => problem(403, { code: 'INSUFFICIENT_SCOPE' }));
    await expect(
      refused.api.open('/api/v1/audit/export', { params: { query: { format: 'csv' } } }),
    ).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  });
});

it('a query leaves out undefined, null and empty members', () => {
  expect(toQuery({})).toBe('');
  expect(toQuery({ q: '', limit: 5, cursor: undefined, sort: null, name: 'a&b' })).toBe(
    '?limit=5&name=a%26b',
  );
});

it('every read of a resource has a key that begins with its name', () => {
  expect([path, '/api/v1/api-keys/{id}'].map(keyOf)).toEqual([['api-keys'], ['api-keys']]);
});
