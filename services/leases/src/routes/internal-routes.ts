import type { LeaseReader } from '@latchkey/shared/contracts';
import type { ChangeFeed } from '@latchkey/shared/events';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';

const LeaseStateSchema = Type.Object({
  viewerId: Type.String(),
  contentId: Type.String(),
  expiresAt: Type.Integer(),
  renewableUntil: Type.Integer(),
  revokedAt: Type.Union([Type.Integer(), Type.Null()]),
});

/**
 * What neighbours ask of the lease service, behind the secret that they share. Each answer carries the number of the
 * change feed before it was read, so that it is known to be true there or later.
 */
export function addLeaseInternalRoutes(app: App, reader: LeaseReader, feed: ChangeFeed): void {
  app.get(
    '/internal/leases/:leaseId',
    {
      config: { access: 'open' },
      schema: {
        hide: true,
        params: Type.Object({ leaseId: Type.String() }),
        response: {
          200: Type.Object({ value: Type.Union([LeaseStateSchema, Type.Null()]), asOf: Type.Integer() }),
        },
      },
    },
    async (request) => {
      const asOf = await feed.head();
      return { value: await reader.findLease(request.params.leaseId), asOf };
    },
  );
  app.get(
    '/internal/marks',
    {
      config: { access: 'open' },
      schema: {
        hide: true,
        querystring: Type.Object({ viewerId: Type.String(), contentId: Type.String() }),
        response: {
          200: Type.Object({ value: Type.Union([Type.Integer(), Type.Null()]), asOf: Type.Integer() }),
        },
      },
    },
    async (request) => {
      const asOf = await feed.head();
      const { viewerId, contentId } = request.query;
      return { value: await reader.findMark(viewerId, contentId), asOf };
    },
  );
}
