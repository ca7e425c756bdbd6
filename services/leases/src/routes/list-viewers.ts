import { assertNotLimited } from '@latchkey/shared/auth';
import { contentsOf } from '@latchkey/shared/contracts';
import { namedBy } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import {
  type App,
  instantOf,
  NextCursorSchema,
  nullableType,
  validationFailure,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { describeViewers, type ViewerFacts } from '../describe-viewers.ts';
import type { LeaseRouteOptions } from '../lease-route-options.ts';
import { ViewerIdSchema } from '../lease-schema.ts';
import { listViewers } from '../list-viewers.ts';
import { formatMarkId, parseMarkId } from '../mark.ts';
import {
  type RankedViewer,
  rankedLeases,
  rankViewers,
  type ViewerRank,
  viewerRanks,
} from '../rank-viewers.ts';
import { foreignCursor, markedPageQuery, toMarkedPage } from './marked-pages.ts';
import { BlockSchema, toBlockView } from './viewer-blocks.ts';

/** As many as a list of suggestions shows. */
const defaultLimit = 20;
const maxLimit = 100;

const instant = { type: 'string', format: 'date-time' };

const ViewerSchema = Type.Object(
  {
    viewerId: Type.String(),
    activeLeases: Type.Integer({ description: 'Of its latest 1,000 leases.' }),
    devices: Type.Integer({
      description:
        'Different device ids of its latest 1,000 leases. Ended leases are kept for LEASES_KEEP_HOURS.',
    }),
    lastSeenAt: nullableType<string>({
      ...instant,
      description: 'The latest creation or renewal of these leases. Null if none is kept.',
    }),
    mark: Type.Union([
      Type.Object({
        markedAt: Type.String({ format: 'date-time' }),
        lapsesAt: nullableType<string>({ ...instant, description: 'As of a mark.' }),
      }),
      Type.Null({ description: 'No mark names the viewer.' }),
    ]),
    block: Type.Optional(Type.Union([BlockSchema, Type.Null()])),
    lastHour: Type.Optional(
      Type.Union([
        Type.Object({
          served: Type.Integer({ description: 'Keys and licences that it got.' }),
          refused: Type.Integer({ description: 'Requests for keys and leases that it was refused.' }),
        }),
        Type.Null({
          description:
            'None of its requests was counted by name: each process names the 50 busiest viewers of a minute. So it is with USAGE_KEEP_DAYS=0.',
        }),
      ]),
    ),
  },
  { title: 'Viewer' },
);

// Its numbers are formatted by hand: the first use of Intl would take 15 ms and 4 MiB of each start.
const schema = {
  tags: ['leases'],
  operationId: 'listViewers',
  summary: 'List viewers by their id, or by what stands out',
  description:
    'By `viewerId`: viewers that have leases, ended ones included as long as they are kept. Each other order has the highest number or ' +
    `latest time first, and only viewers that have one: -lastSeenAt, -activeLeases and -devices among the ${rankedLeases / 1_000},000 leases that end last, ` +
    '-served and -refused by the usage of the last hour, -revokedAt among the latest 1,000 marks and 1,000 blocks. An API key of some ' +
    'contents has the first order alone, and no `block` and `lastHour`.',
  querystring: Type.Object(
    {
      viewerId: Type.Optional({
        ...ViewerIdSchema,
        description:
          'This viewer alone, with leases or without. It goes without `prefix`, `cursor` and `sort`.',
      }),
      prefix: Type.Optional(ViewerIdSchema),
      sort: Type.Optional(Type.Enum(['viewerId', ...viewerRanks], { default: 'viewerId' })),
      ...markedPageQuery(defaultLimit, maxLimit),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({ viewers: Type.Array(ViewerSchema), next_cursor: NextCursorSchema }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

/** `GET /api/v1/viewers` */
export function addListViewersRoute(
  app: App,
  { db, clock, marksKeptMs }: Pick<LeaseRouteOptions, 'db' | 'clock' | 'marksKeptMs'>,
): void {
  const config = { access: 'manage', contents: 'narrowed', action: 'viewer.list', limit: 'api' } as const;
  app.get('/api/v1/viewers', { config, schema }, async ({ query, principal }) => {
    const { sort = 'viewerId', viewerId } = query;
    // `limit` and `sort` have their defaults by now.
    if (viewerId !== undefined && (query.prefix ?? query.cursor ?? sort) !== 'viewerId')
      throw validationFailure('/viewerId', 'goes without prefix, cursor and sort');
    if (principal && sort !== 'viewerId')
      assertNotLimited(principal, 'manage', 'This API key is limited to some contents: list by `viewerId`.');
    const within = namedBy(db, contentsOf(principal));
    const now = clock.now();
    const page =
      viewerId === undefined
        ? await findPage(db, sort, { ...query, within, now })
        : { viewerIds: [viewerId], next: null };
    const viewers = await describeViewers(db, page.viewerIds, { now, within });
    return { viewers: viewers.map((facts) => toViewerView(facts, marksKeptMs)), next_cursor: page.next };
  });
}

function toViewerView({ markedAt, block, lastSeenAt, ...facts }: ViewerFacts, marksKeptMs: number | null) {
  return {
    ...facts,
    lastSeenAt: instantOf(lastSeenAt),
    mark:
      markedAt === null
        ? null
        : {
            markedAt: instantOf(markedAt),
            lapsesAt: instantOf(marksKeptMs === null ? null : markedAt + marksKeptMs),
          },
    ...(block !== undefined && { block: block && toBlockView(block) }),
  };
}

interface PageQuestion {
  prefix?: string;
  limit?: number;
  cursor?: string;
  within: ReturnType<typeof namedBy>;
  now: number;
}

async function findPage(
  db: LeaseRouteOptions['db'],
  sort: 'viewerId' | ViewerRank,
  { prefix = '', limit = defaultLimit, cursor, within, now }: PageQuestion,
): Promise<{ viewerIds: string[]; next: string | null }> {
  if (sort === 'viewerId') {
    const after = cursor === undefined ? null : readCursor(cursor);
    const found = await listViewers(db, { prefix, after, limit: limit + 1, within });
    const { rows: viewerIds, next } = toMarkedPage(found, limit, formatCursor);
    return { viewerIds, next };
  }
  const after = cursor === undefined ? null : readRankCursor(cursor, sort);
  const found = await rankViewers(db, sort, { prefix, after, limit: limit + 1, now });
  const { rows, next } = toMarkedPage(found, limit, (last) => formatRankCursor(last, sort));
  return { viewerIds: rows.map(({ viewerId }) => viewerId), next };
}

const formatCursor = (viewerId: string): string => Buffer.from(viewerId).toString('base64url');

/** @throws AppError VALIDATION_FAILED for a cursor that this server did not make */
function readCursor(cursor: string): string {
  const viewerId = Buffer.from(cursor, 'base64url').toString();
  const isOwn = formatCursor(viewerId) === cursor && !/\p{Cc}/u.test(viewerId);
  if (!isOwn) throw foreignCursor();
  return viewerId;
}

/** As the id of a mark, with the order in place of a content. */
const formatRankCursor = ({ viewerId, value }: RankedViewer, rank: ViewerRank): string =>
  formatMarkId({ viewerId, contentId: rank, markedAt: value });

/** @throws AppError VALIDATION_FAILED for a cursor that this server did not make, or made for another order */
function readRankCursor(cursor: string, rank: ViewerRank): RankedViewer {
  const { viewerId, contentId, markedAt: value } = parseMarkId(cursor) ?? {};
  if (!viewerId || contentId !== rank || value === undefined) throw foreignCursor();
  return { viewerId, value };
}
