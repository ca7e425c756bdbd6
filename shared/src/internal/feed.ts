import { Type } from 'typebox';
import { createStrictReader } from '../contracts/index.ts';
import {
  type ChangeFeed,
  FeedHeadSchema,
  type FeedPage,
  FeedPageSchema,
  parseChange,
} from '../events/index.ts';
import type { App } from '../http/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';

const readHead = createStrictReader(FeedHeadSchema, 'the head of the change feed');
const readPage = createStrictReader(FeedPageSchema, 'a page of the change feed');

/** A change that this code does not know does not spoil the page: the follower starts anew behind it. */
function toPage(body: unknown): FeedPage {
  const page = readPage(body);
  return { ...page, changes: page.changes.map((row) => ({ ...row, change: parseChange(row.change) })) };
}

/** Gives the change feed to neighbours that have no database of their own. */
export function addFeedRoutes(app: App, feed: ChangeFeed): void {
  app.get(
    '/internal/feed/head',
    {
      config: { access: 'internal' },
      schema: { hide: true, response: { 200: FeedHeadSchema } },
    },
    async () => ({ head: await feed.head() }),
  );
  app.get(
    '/internal/feed',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        querystring: Type.Object({ since: Type.Integer({ minimum: 0 }) }),
        response: { 200: FeedPageSchema },
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
    head: () => first((neighbour) => neighbour.get('/internal/feed/head', (body) => readHead(body).head)),
    since: (number) => first((neighbour) => neighbour.get(`/internal/feed?since=${number}`, toPage)),
  };
}
