import { isContentId, keyEndpointOf } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, sortQuery, validationFailure } from '@latchkey/shared/http';
import { type Static, Type } from '@latchkey/shared/schema';
import {
  ContentParametersSchema,
  ContentSchema,
  KeyedContentAnswerSchema,
  StatusSchema,
  toContentAnswer,
} from '../content-schema.ts';
import { contentOrders, findContent, findContentsByBeginning, listContents } from '../content-store.ts';
import type { RouteOptions } from '../own-tables.ts';

/** `docs/contract.md#content`. */
const defaultLimit = 50;
const maxLimit = 500;
/** As long as a name. */
const maxSearchLength = 200;

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
    ...sortQuery(contentOrders),
  },
  { additionalProperties: false },
);

const listSchema = {
  tags: ['Content'],
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
    { config: { access: 'content:read', action: 'content.list', limit: 'api' }, schema: listSchema },
    async (request) => {
      const { limit = defaultLimit, offset = 0, status, q, prefix, sort } = request.query;
      if (prefix !== undefined) assertAlone(request.query);
      const { contents, total } =
        prefix === undefined
          ? await listContents(db, { status, search: q }, { limit, offset, order: sort })
          : await findContentsByBeginning(db, prefix, limit);
      return { items: contents.map(toContentAnswer), total };
    },
  );
}

/** @throws AppError VALIDATION_FAILED where `prefix` stands beside what it does not go with */
function assertAlone({ offset, status, q, sort }: Static<typeof QuerySchema>): void {
  const isSorted = sort !== undefined && sort !== contentOrders[0];
  if (!offset && status === undefined && q === undefined && !isSorted) return;
  throw validationFailure('/prefix', 'goes with limit only');
}

const lookUpSchema = {
  tags: ['Content'],
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
    { config: { access: 'content:read', action: 'content.read', limit: 'api' }, schema: lookUpSchema },
    async (request) => {
      const { id } = request.params;
      const content = isContentId(id) ? await findContent(db, id) : null;
      if (!content) throw new AppError('CONTENT_NOT_FOUND');
      return { content: toContentAnswer(content), key_endpoint: keyEndpointOf(publicUrl, content.id) };
    },
  );
}
