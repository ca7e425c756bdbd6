import { createStrictReader } from '../contracts/index.ts';
import {
  type ChangeFeed,
  FeedHeadSchema,
  type FeedPage,
  FeedPageSchema,
  type FollowerReport,
  FollowerReportSchema,
  parseChange,
} from '../events/index.ts';
import type { App } from '../http/index.ts';
import { Type } from '../schema/type.ts';
import type { InternalClient } from './internal-client.ts';

const feedPath = '/internal/feed';
const leavePath = '/internal/feed/leave';

const readHead = createStrictReader(FeedHeadSchema, 'the head of the change feed');
const readPage = createStrictReader(FeedPageSchema, 'a page of the change feed');

/** An unknown change does not invalidate the page: the follower starts again after it. */
function toPage(body: unknown): FeedPage {
  const page = readPage(body);
  return { ...page, changes: page.changes.map((row) => ({ ...row, change: parseChange(row.change) })) };
}

/** Serves the change feed to services without a database. */
export function addFeedRoutes(app: App, feed: ChangeFeed): void {
  // Several services may share this host, and they have the same feed.
  if (app.hasRoute({ method: 'GET', url: '/internal/feed' })) return;
  app.get(
    '/internal/feed/head',
    {
      config: { access: 'internal' },
      schema: { hide: true, response: { 200: FeedHeadSchema } },
    },
    async () => ({ head: await feed.head() }),
  );
  app.get(
    feedPath,
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        querystring: Type.Object({
          since: FollowerReportSchema.properties.applied,
          // Missing from processes of a release before 0.4.0, during an upgrade.
          ...Type.Partial(FollowerReportSchema).properties,
        }),
        response: { 200: FeedPageSchema },
      },
    },
    ({ query: { since, process, limitMs, applied, history = null } }) =>
      process === undefined || limitMs === undefined || applied === undefined
        ? feed.since(since)
        : feed.since(since, { process, limitMs, applied, history }),
  );
  app.post(
    leavePath,
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        body: Type.Object({ process: FollowerReportSchema.properties.process }),
        response: { 200: Type.Object({}) },
      },
    },
    async ({ body }) => {
      await feed.followers?.leave(body.process);
      return {};
    },
  );
}

function pathOf(since: number, report?: FollowerReport): string {
  const query = new URLSearchParams({ since: String(since) });
  for (const [name, value] of Object.entries(report ?? {}))
    if (value !== null) query.set(name, String(value));
  return `${feedPath}?${query}`;
}

/**
 * The change feed of another service. Where one address does not answer, the next is asked. The address that answered
 * last is asked first: waiting for a silent one each time would let states grow too old.
 */
export function createFeedClient(services: readonly InternalClient[]): ChangeFeed {
  let inOrder = [...services];

  async function first<T>(ask: (service: InternalClient) => Promise<T>): Promise<T> {
    const faults: unknown[] = [];
    for (const service of inOrder) {
      try {
        const answer = await ask(service);
        inOrder = [service, ...inOrder.filter((other) => other !== service)];
        return answer;
      } catch (error) {
        faults.push(error);
      }
    }
    throw faults[0];
  }
  return {
    head: () => first((service) => service.get('/internal/feed/head', (body) => readHead(body).head)),
    since: (number, report) => first((service) => service.get(pathOf(number, report), toPage)),
    followers: {
      leave: (process) => first((service) => service.post(leavePath, { process }, () => {})),
      // It owns no database, so no other process gets pages from it.
      mayConfirm: () => true,
    },
  };
}
