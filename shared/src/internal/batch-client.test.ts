import { expect, test } from 'vitest';
import { serveHttp } from '../testing/serve-http.ts';
import { connectService } from '../testing/test-upstream.ts';
import { createContentClient, createLeaseClient } from './index.ts';

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Undefined breaks the connection. */
  body?: unknown;
}

/** A service at one address, and what it was asked. `answer` gets the keys of a batch, null for a single read. */
async function serve(answer: (keys: unknown[] | null, path: string) => Reply) {
  const asked: string[] = [];
  const { url } = await serveHttp(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = request.url ?? '';
    if (path === '/health') return void response.end();
    asked.push(`${request.method} ${path}`);
    const { status = 200, headers, body } = answer(text ? JSON.parse(text).keys : null, path);
    if (body === undefined) request.socket.destroy();
    else response.writeHead(status, headers).end(JSON.stringify(body));
  });
  return { url, asked };
}

function connect(urls: string[]) {
  const client = connectService(urls);
  return {
    contents: createContentClient(client),
    leases: createLeaseClient(client),
    faults: client.faults,
  };
}

const film = { status: 'active', keyVersion: 1, keyPeriods: null } as const;
/** Knows the content `film` only. */
const registry = (keys: unknown[] | null, path: string): Reply => {
  const find = (id: unknown) => (id === 'film' ? film : null);
  return { body: keys ? { values: keys.map(find) } : { content: find(path.split('/').at(-1)) } };
};
const unavailable = { code: 'DEPENDENCY_UNAVAILABLE', status: 503 };
const batch = 'POST /internal/contents/batch';

test('look-ups at once are one request, and an unknown one among them is unknown alone', async () => {
  const { url, asked } = await serve(registry);
  const { contents, faults } = connect([url]);
  const ids = ['film', 'none', 'film', 'a/b?c#d', '..'];
  expect(await Promise.all(ids.map((id) => contents.findContent(id)))).toEqual([
    film,
    null,
    film,
    null,
    null,
  ]);
  expect(asked).toEqual([batch]);
  expect(faults).toEqual([]);
});

test('a batch is repeated at another address where a connection broke, as it changes nothing', async () => {
  const broken = await serve(() => ({}));
  const healthy = await serve(registry);
  const { contents, faults } = connect([broken.url, healthy.url]);
  for (let round = 0; round < 4; round++)
    expect(await Promise.all([contents.findContent('film'), contents.findContent('x')])).toEqual([
      film,
      null,
    ]);
  expect(broken.asked).toEqual([batch]);
  expect(healthy.asked).toEqual(Array(4).fill(batch));
  expect(faults).toEqual([]);
});

test('a batch is repeated at another address where a replica no longer receives changes', async () => {
  const headers = { 'x-latchkey-phase': 'unsure' };
  const unsure = await serve(() => ({ status: 503, headers, body: {} }));
  const healthy = await serve(registry);
  const { contents } = connect([unsure.url, healthy.url]);
  expect(await Promise.all([contents.findContent('film'), contents.findContent('x')])).toEqual([film, null]);
  expect([unsure.asked, healthy.asked]).toEqual([[batch], [batch]]);
});

test.each([
  ['a service that cannot read', { status: 503, body: {} }],
  ['an answer of another length', { body: { values: [null] } }],
  ['an answer that is not JSON of a batch', { body: { content: null } }],
  ['another INTERNAL_SECRET', { status: 401, headers: { 'x-latchkey-refused': 'secret' }, body: {} }],
])(
  'look-ups of one batch are unavailable and never unknown with %s, and are counted once',
  async (_, reply) => {
    const { url, asked } = await serve(() => reply);
    const { contents, faults } = connect([url]);
    const results = await Promise.allSettled(['film', 'other'].map((id) => contents.findContent(id)));
    expect(results).toEqual([
      { status: 'rejected', reason: expect.objectContaining(unavailable) },
      { status: 'rejected', reason: expect.objectContaining(unavailable) },
    ]);
    expect(asked).toEqual([batch]);
    expect(faults.length).toBe(1);
  },
);

test.each([400, 413, 500])(
  'look-ups whose batch gets %i are made one by one, so that one bad key fails alone',
  async (status) => {
    const { url } = await serve((keys, path) =>
      keys ? { status, body: {} } : path.includes('bad') ? { status: 500, body: {} } : registry(null, path),
    );
    const { contents, faults } = connect([url]);
    const ids = ['film', 'bad', 'none'];
    const [good, bad, none] = await Promise.allSettled(ids.map((id) => contents.findContent(id)));
    expect(good).toEqual({ status: 'fulfilled', value: film });
    expect(bad).toMatchObject({ status: 'rejected', reason: unavailable });
    expect(none).toEqual({ status: 'fulfilled', value: null });
    expect(faults).toEqual(['it answered 500']);
  },
);

test('a state that only a later release understands is unavailable alone', async () => {
  const later = { ...film, status: 'archived' };
  const { url } = await serve((keys) =>
    keys
      ? { body: { values: keys.map((id) => (id === 'new' ? later : film)) } }
      : { body: { content: later } },
  );
  const { contents } = connect([url]);
  const [known, unknown] = await Promise.allSettled(['film', 'new'].map((id) => contents.findContent(id)));
  expect(known).toEqual({ status: 'fulfilled', value: film });
  expect(unknown).toMatchObject({ status: 'rejected', reason: unavailable });
});

test('each lease of a batch carries the place in the change feed that was read before all of them', async () => {
  const { url, asked } = await serve((keys) => ({ body: { values: keys?.map(() => null), asOf: 7 } }));
  const { leases } = connect([url]);
  const { findLease, findMark } = leases.stamped;
  const placed = { value: null, asOf: 7 };
  expect(await Promise.all([findLease('a'), findLease('b')])).toEqual([placed, placed]);
  expect(await Promise.all([findMark('ann', 'film'), findMark('ben', 'film')])).toEqual([placed, placed]);
  expect(asked).toEqual(['POST /internal/leases/batch', 'POST /internal/marks/batch']);
});
