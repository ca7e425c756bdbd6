import {
  LeaseAnswerSchema,
  type LeaseBatchReader,
  type LeaseReader,
  MarkAnswerSchema,
  UsesSchema,
} from '@latchkey/shared/contracts';
import type { ChangeFeed } from '@latchkey/shared/events';
import type { App } from '@latchkey/shared/http';
import { addBatchRoute, leaseBatch, markBatch, sessionUsesPath } from '@latchkey/shared/internal';
import { Type } from '@latchkey/shared/schema';
import type { ExtendSessions } from '../extend-sessions.ts';

/**
 * The internal routes of the lease service, which need `INTERNAL_SECRET`. Each answer carries the number of the
 * change feed before it was read, so that it is known to be true there or later.
 */
export function addLeaseInternalRoutes(
  app: App,
  reader: LeaseReader & LeaseBatchReader,
  feed: ChangeFeed,
  extendSessions: ExtendSessions = async () => {},
): void {
  const head = () => feed.head();
  addBatchRoute(app, leaseBatch, { head, readMany: (leaseIds) => reader.findLeases(leaseIds) });
  addBatchRoute(app, markBatch, { head, readMany: (pairs) => reader.findMarks(pairs) });
  app.get(
    '/internal/leases/:leaseId',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        params: Type.Object({ leaseId: Type.String() }),
        response: { 200: LeaseAnswerSchema },
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
      config: { access: 'internal' },
      schema: {
        hide: true,
        querystring: Type.Object({ viewerId: Type.String(), contentId: Type.String() }),
        response: { 200: MarkAnswerSchema },
      },
    },
    async (request) => {
      const asOf = await feed.head();
      const { viewerId, contentId } = request.query;
      return { value: await reader.findMark(viewerId, contentId), asOf };
    },
  );
  app.post(
    sessionUsesPath,
    {
      config: { access: 'internal' },
      schema: { hide: true, body: UsesSchema, response: { 200: Type.Object({}) } },
    },
    async (request) => {
      await extendSessions(new Map(Object.entries(request.body.uses)));
      return {};
    },
  );
}
