import { isContentId, keyEndpointOf } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import {
  ContentParametersSchema,
  ContentSchema,
  KeyedContentAnswerSchema,
  StatusSchema,
  toContentAnswer,
} from '../content-schema.ts';
import { findContent, listContents } from '../content-store.ts';
import type { RouteOptions } from '../own-tables.ts';

/** `docs/contract.md#content`. */
const defaultLimit = 50;
const maxLimit = 500;
/** As long as a name. */
const maxSearchLength = 200;

const QuerySchema = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    status: Type.Optional(StatusSchema),
    q: Type.Optional(
      Type.String({
        maxLength: maxSearchLength,
        // Names have no control characters, and Postgres accepts no NUL.
        pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
        description: 'Part of the name or of the id, in any case.',
      }),
    ),
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
      const { limit = defaultLimit, offset = 0, status, q } = request.query;
      const { contents, total } = await listContents(db, { status, search: q }, { limit, offset });
      return { items: contents.map(toContentAnswer), total };
    },
  );
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
