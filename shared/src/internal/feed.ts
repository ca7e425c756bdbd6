import { Type } from 'typebox';
import { type ChangeFeed, type FeedPage, parseChange } from '../events/index.ts';
import type { App } from '../http/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';

const NullableText = Type.Union([Type.String(), Type.Null()]);
const PageSchema = Type.Object({
  head: Type.Integer(),
  history: Type.Optional(NullableText),
  changes: Type.Array(
    Type.Object({
      number: Type.Integer(),
      at: Type.Integer(),
      id: Type.Optional(NullableText),
      previous: Type.Optional(NullableText),
      change: Type.Any(),
    }),
  ),
});

/** Gives the change feed to neighbours that have no database of their own. */
export function addFeedRoutes(app: App, feed: ChangeFeed): void {
  app.get(
    '/internal/feed/head',
    {
      config: { access: 'open' },
      schema: { hide: true, response: { 200: Type.Object({ head: Type.Integer() }) } },
    },
    async () => ({ head: await feed.head() }),
  );
  app.get(
    '/internal/feed',
    {
      config: { access: 'open' },
      schema: {
        hide: true,
        querystring: Type.Object({ since: Type.Integer({ minimum: 0 }) }),
        response: { 200: PageSchema },
      },
    },
    (request) => feed.since(request.query.since),
  );
}

/**
 * The change feed of a neighbour; the next one is asked where the first does not answer. Whoever answered last is asked
 * first: to wait anew for one that is silent, each time, would let the states grow older than they may.
 */
export function createFeedClient(neighbours: readonly NeighbourClient[]): ChangeFeed {
  let inOrder = [...neighbours];

  async function first<T>(ask: (neighbour: NeighbourClient) => Promise<T>): Promise<T> {
    const faults: unknown[] = [];
    for (const neighbour of inOrder) {
      try {
        const answer = await ask(neighbour);
        inOrder = [neighbour, ...inOrder.filter((other) => other !== neighbour)];
        return answer;
      } catch (error) {
        faults.push(error);
      }
    }
    throw faults[0];
  }
  return {
    head: () => first((neighbour) => neighbour.get('/internal/feed/head', parseHead)),
    since: (number) => first((neighbour) => neighbour.get(`/internal/feed?since=${number}`, parsePage)),
  };
}

function parseHead(body: unknown): number {
  const { head } = body as { head?: unknown };
  if (!Number.isSafeInteger(head)) throw new TypeError('the head of the feed is no number');
  return head as number;
}

function parsePage(body: unknown): FeedPage {
  const { changes, history } = body as { changes?: unknown; history?: unknown };
  if (!Array.isArray(changes)) throw new TypeError('a page of the feed has no changes');
  return {
    head: parseHead(body),
    history: parseText(history),
    changes: changes.map(({ number, at, id, previous, change }) => {
      if (!Number.isSafeInteger(number) || !Number.isSafeInteger(at))
        throw new TypeError('a change has no number');
      return {
        number,
        at,
        id: parseText(id),
        previous: parseText(previous),
        change: parseChange(change),
      };
    }),
  };
}

/** Missing in answers of 0.2.0. */
function parseText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
