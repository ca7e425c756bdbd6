import { contentsOf, isContentId, keyEndpointOf, type Principal } from '@latchkey/shared/contracts';
import { namedBy } from '@latchkey/shared/db';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, sortQuery, validationFailure } from '@latchkey/shared/http';
import { type Static, Type } from '@latchkey/shared/schema';
import {
  ContentParametersSchema,
  ContentSchema,
  KeyedContentAnswerSchema,
  ofContent,
  StatusSchema,
  toContentAnswer,
} from '../content-schema.ts';
import {
  contentOrders,
  findContent,
  findContentsByBeginning,
  findContentsByIds,
  listContents,
} from '../content-store.ts';
import type { RouteOptions } from '../own-tables.ts';

/** `docs/reference/contract.md#content`. */
const defaultLimit = 50;
const maxLimit = 500;
/** As long as a name. */
const maxSearchLength = 200;

/** Usage names up to 50 contents at once. A request line of some hundred UUIDs passes each proxy. */
const mostIds = 100;

// Names have no control characters, and Postgres accepts no NUL.
const searchPattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

const QuerySchema = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    status: Type.Optional(StatusSchema),
    q: Type.Optional(
      Type.String({
        maxLength: maxSearchLength,
        pattern: searchPattern,
        description: 'Part of the name or of the id, in any case.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxSearchLength,
        pattern: searchPattern,
        description:
          'The name, in any case, or the id begins so. Answers the first ones in the order of names, with `limit` and without the ' +
          'other parameters. `total` is counted up to 1,000.',
      }),
    ),
    ids: Type.Optional(
      Type.String({
        pattern: `^[A-Za-z0-9_-]{1,256}(,[A-Za-z0-9_-]{1,256}){0,${mostIds - 1}}$`,
        description: `Up to ${mostIds} ids, separated by commas. Returns the contents that exist. Use it without the other parameters.`,
      }),
    ),
    ...sortQuery(contentOrders),
  },
  { additionalProperties: false },
);

const listSchema = {
  tags: ['Content'],
  operationId: 'listContents',
  summary: 'List contents, newest first',
  querystring: QuerySchema,
  response: {
    200: Type.Object({
      items: Type.Array(ContentSchema),
      total: Type.Integer({ description: 'How many match, on all pages.' }),
    }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

export function addListContentsRoute(app: App, { db }: RouteOptions): void {
  app.get(
    '/api/v1/content',
    {
      config: { access: 'content:read', contents: 'narrowed', action: 'content.list', limit: 'api' },
      schema: listSchema,
    },
    async ({ query, principal }) => {
      const { contents, total } = await findListed(db, query, principal);
      return { items: contents.map(toContentAnswer), total };
    },
  );
}

/** @throws AppError VALIDATION_FAILED if `prefix` or `ids` comes with a parameter that it excludes */
function findListed(db: RouteOptions['db'], query: Static<typeof QuerySchema>, principal: Principal | null) {
  const own = contentsOf(principal);
  const within = namedBy(db, own);
  const { limit, offset = 0, status, q, prefix, ids, sort } = query;
  const isSorted = sort !== undefined && sort !== contentOrders[0];
  const isFiltered = offset > 0 || status !== undefined || q !== undefined || isSorted;
  if (ids !== undefined) {
    if (isFiltered || prefix !== undefined) throw validationFailure('/ids', 'goes with no other parameter');
    const named = ids.split(',').filter((id) => own?.has(id) ?? true);
    return findContentsByIds(db, named);
  }
  if (prefix !== undefined) {
    if (isFiltered) throw validationFailure('/prefix', 'goes with limit only');
    return findContentsByBeginning(db, prefix, limit ?? defaultLimit, within);
  }
  return listContents(
    db,
    { status, search: q, within },
    { limit: limit ?? defaultLimit, offset, order: sort },
  );
}

const lookUpSchema = {
  tags: ['Content'],
  operationId: 'getContent',
  summary: 'Look a content up',
  params: ContentParametersSchema,
  response: {
    200: KeyedContentAnswerSchema,
    ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'CONTENT_NOT_FOUND'),
  },
};

export function addGetContentRoute(
  app: App,
  { db, publicUrl }: RouteOptions & { publicUrl: string | null },
): void {
  app.get(
    '/api/v1/content/:id',
    {
      config: { access: 'content:read', contents: ofContent, action: 'content.read', limit: 'api' },
      schema: lookUpSchema,
    },
    async (request) => {
      const { id } = request.params;
      const content = isContentId(id) ? await findContent(db, id) : null;
      if (!content) throw new AppError('CONTENT_NOT_FOUND');
      return { content: toContentAnswer(content), key_endpoint: keyEndpointOf(publicUrl, content.id) };
    },
  );
}
