import { contentsOf } from '@latchkey/shared/contracts';
import { namedBy } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import { type App, NextCursorSchema, validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import type { LeaseRouteOptions } from '../lease-route-options.ts';
import { ViewerIdSchema } from '../lease-schema.ts';
import { listViewers } from '../list-viewers.ts';

/** As many as a list of suggestions shows. */
const defaultLimit = 20;
const maxLimit = 100;
/** A viewer id of 1,024 bytes in base64url. */
const longestCursor = 1_366;

const schema = {
  tags: ['leases'],
  operationId: 'listViewers',
  summary: 'Find viewers by the beginning of their id',
  description: 'Viewers that have leases, ended ones included as long as they are kept.',
  querystring: Type.Object(
    {
      prefix: Type.Optional(ViewerIdSchema),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
      cursor: Type.Optional(
        Type.String({ maxLength: longestCursor, description: 'The next_cursor of the page before.' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      viewers: Type.Array(Type.Object({ viewerId: Type.String() })),
      next_cursor: NextCursorSchema,
    }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

/** `GET /api/v1/viewers` */
export function addListViewersRoute(app: App, { db }: Pick<LeaseRouteOptions, 'db'>): void {
  const config = { access: 'manage', contents: 'narrowed', action: 'viewer.list', limit: 'api' } as const;
  app.get('/api/v1/viewers', { config, schema }, async ({ query, principal }) => {
    const within = namedBy(db, contentsOf(principal));
    const { prefix = '', limit = defaultLimit, cursor } = query;
    const after = cursor === undefined ? null : readCursor(cursor);
    const found = await listViewers(db, { prefix, after, limit: limit + 1, within });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      viewers: shown.map((viewerId) => ({ viewerId })),
      next_cursor:
        found.length > limit && last !== undefined ? Buffer.from(last).toString('base64url') : null,
    };
  });
}

/** @throws AppError VALIDATION_FAILED for a cursor that this server did not make */
function readCursor(cursor: string): string {
  const viewerId = Buffer.from(cursor, 'base64url').toString();
  const isOwn = Buffer.from(viewerId).toString('base64url') === cursor && !/\p{Cc}/u.test(viewerId);
  if (!isOwn) throw validationFailure('/cursor', 'must be the next_cursor of an earlier answer');
  return viewerId;
}
