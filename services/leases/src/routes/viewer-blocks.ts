import type { AuditDetails } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import {
  type App,
  appliedMembers,
  instantOf,
  NextCursorSchema,
  nullableType,
  readEmptyBody,
  readInstant,
  validationFailure,
  WaitQuerySchema,
  waitIfAsked,
} from '@latchkey/shared/http';
import { redact } from '@latchkey/shared/log';
import { Type } from '@latchkey/shared/schema';
import { type Block, type BlockPlace, BlockStore } from '../block-store.ts';
import { type Acting, actingIn, auditRevocation } from '../lease-acting.ts';
import { lockForRevocation } from '../lease-locks.ts';
import type { LeaseRouteOptions, LeaseService } from '../lease-route-options.ts';
import { ReasonSchema, readViewerId, ViewerIdSchema } from '../lease-schema.ts';
import { formatMarkId, parseMarkId } from '../mark.ts';
import { type RevocationResult, revokeLocked } from '../revoke-by-selector.ts';
import { foreignCursor, markedPageQuery, toMarkedPage } from './marked-pages.ts';

const path = '/api/v1/viewers/:viewerId/block';
const defaultLimit = 100;
/** Ten years. A later end is a mistake: a block without one holds until it is lifted. */
const longestMs = 10 * 366 * 86_400_000;

const ParamsSchema = Type.Object({ viewerId: ViewerIdSchema });

export const BlockSchema = Type.Object(
  {
    viewerId: Type.String(),
    blockedAt: Type.String({ format: 'date-time' }),
    until: nullableType<string>({
      type: 'string',
      format: 'date-time',
      description: 'Null: until it is lifted.',
    }),
    reason: nullableType<string>({ type: 'string' }),
  },
  { title: 'ViewerBlock' },
);

const refusals = ['VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'] as const;

export function toBlockView({ viewerId, blockedAt, until, reason }: Block) {
  return { viewerId, blockedAt: instantOf(blockedAt), until: instantOf(until), reason };
}

/** Blocks a viewer, lifts its block, and shows and lists blocks. */
export function addViewerBlockRoutes(app: App, service: LeaseService): void {
  addBlockRoute(app, service);
  addUnblockRoute(app, service);
  addGetBlockRoute(app, service);
  addListBlocksRoute(app, service);
}

/** `PUT /api/v1/viewers/:viewerId/block` */
function addBlockRoute(app: App, service: LeaseService): void {
  app.put(
    path,
    {
      // As for revocations: an API key that takes rights away is not limited.
      config: {
        access: 'manage',
        contents: 'whole-server',
        action: 'viewer.block',
        limit: 'api',
        limitsRefusals: true,
      },
      preValidation: readEmptyBody,
      schema: {
        tags: ['leases'],
        operationId: 'blockViewer',
        summary: 'Block a viewer',
        description:
          'No token of the viewer gets a key, a lease or a session, whenever it is issued, until the block is lifted or has ended. Its leases and sessions are revoked, and its tokens marked, as by a revocation by viewerId. A further block replaces the end and the reason.',
        params: ParamsSchema,
        querystring: WaitQuerySchema,
        body: Type.Object(
          {
            reason: Type.Optional(ReasonSchema),
            until: Type.Optional(
              nullableType<string>({
                type: 'string',
                description:
                  'ISO 8601, in the future, at most ten years. Null or missing: until it is lifted.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            block: BlockSchema,
            revoked: Type.Integer({ description: 'How many leases were newly revoked, exact up to 10,000.' }),
            more: Type.Optional(Type.Literal(true)),
            ...appliedMembers,
          }),
          ...problems(...refusals),
        },
      },
    },
    async (request) => {
      const viewerId = readViewerId(request.params.viewerId);
      const { reason, until = null } = request.body;
      const { block, revoked, more } = await blockViewer(
        service,
        {
          viewerId,
          until: until === null ? null : readInstant(until, '/until'),
          // Before it is stored: lists, webhooks and backups show it.
          reason: reason === undefined ? null : redact(reason),
        },
        actingIn(request),
      );
      request.revocation = {
        viewerId,
        viewerStatus: 'blocked',
        ...(block.until !== null && { blockedUntil: instantOf(block.until) }),
      };
      const waited = await waitIfAsked(request.query, service);
      return { block: toBlockView(block), revoked, ...(more && { more }), ...waited };
    },
  );
}

/**
 * Blocks a viewer, and revokes its leases: they then give no key without a look at the block, which a key request with a lease does not read.
 * A repeated block revokes again. A process with a clock ahead may have made a lease after the end of the earlier one.
 *
 * @throws AppError VALIDATION_FAILED if `until` is not within the next ten years
 */
function blockViewer(
  service: LeaseService,
  asked: Omit<Block, 'blockedAt'>,
  acting: Acting,
): Promise<RevocationResult & { block: Block }> {
  const { viewerId, until, reason } = asked;
  const selector = { viewerId, contentId: null };
  return service.ledger.write(async (entry) => {
    await lockForRevocation(entry.tx, selector);
    const block = { ...asked, blockedAt: service.clock.now() };
    if (until !== null && (until <= block.blockedAt || until > block.blockedAt + longestMs))
      throw validationFailure('/until', 'must lie in the future, within ten years');
    const store = new BlockStore(entry.tx);
    const before = await store.find(viewerId, block.blockedAt);
    await store.put(block);
    const details = { ...(reason !== null && { reason }), ...changeOf(before, block) };
    const names = { leaseId: null, ...selector };
    const auditNumber = await auditRevocation(entry, acting, 'viewer.block', names, details);
    return { ...(await revokeLocked(service, entry, selector, { reason, auditNumber })), block };
  });
}

function changeOf(before: Block | null, after: Block | null): Pick<AuditDetails, 'changes'> {
  const shown = (block: Block | null) => block && { until: instantOf(block.until) };
  return { changes: { block: { before: shown(before), after: shown(after) } } };
}

/** `DELETE /api/v1/viewers/:viewerId/block` */
function addUnblockRoute(app: App, service: LeaseService): void {
  app.delete(
    path,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'viewer.unblock', limit: 'api' },
      schema: {
        tags: ['leases'],
        operationId: 'unblockViewer',
        summary: 'Lift the block of a viewer',
        description:
          'Tokens that were issued after the viewer was blocked work again. Those from before stay marked, and revoked leases stay revoked.',
        params: ParamsSchema,
        response: { 204: Type.Null({ description: 'Done.' }), ...problems(...refusals, 'NOT_FOUND') },
      },
    },
    async (request, reply) => {
      const viewerId = readViewerId(request.params.viewerId);
      const selector = { viewerId, contentId: null };
      const names = { leaseId: null, ...selector };
      await service.ledger.write(async (entry) => {
        await lockForRevocation(entry.tx, selector);
        const store = new BlockStore(entry.tx);
        const before = await store.find(viewerId, service.clock.now());
        if (!before) throw new AppError('NOT_FOUND', { detail: 'This viewer is not blocked.' });
        await store.lift(viewerId);
        await auditRevocation(entry, actingIn(request), 'viewer.unblock', names, changeOf(before, null));
        await entry.change({ kind: 'leases', ...names });
      });
      request.revocation = { viewerId, viewerStatus: 'unblocked' };
      return reply.code(204).send(null);
    },
  );
}

/** `GET /api/v1/viewers/:viewerId/block` */
function addGetBlockRoute(app: App, { db, clock }: Pick<LeaseRouteOptions, 'db' | 'clock'>): void {
  app.get(
    path,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'viewer.read-block', limit: 'api' },
      schema: {
        tags: ['leases'],
        operationId: 'getViewerBlock',
        summary: 'Get the block of a viewer',
        params: ParamsSchema,
        response: {
          200: Type.Object({ block: Type.Union([BlockSchema, Type.Null()]) }),
          ...problems(...refusals),
        },
      },
    },
    async (request) => {
      const block = await new BlockStore(db).find(readViewerId(request.params.viewerId), clock.now());
      return { block: block && toBlockView(block) };
    },
  );
}

/** `GET /api/v1/viewers/blocks` */
function addListBlocksRoute(app: App, { db, clock }: Pick<LeaseRouteOptions, 'db' | 'clock'>): void {
  app.get(
    '/api/v1/viewers/blocks',
    {
      config: { access: 'manage', contents: 'whole-server', action: 'viewer.list-blocks', limit: 'api' },
      schema: {
        tags: ['leases'],
        operationId: 'listViewerBlocks',
        summary: 'List blocked viewers, the latest block first',
        querystring: Type.Object(markedPageQuery(defaultLimit), { additionalProperties: false }),
        response: {
          200: Type.Object({ blocks: Type.Array(BlockSchema), next_cursor: NextCursorSchema }),
          ...problems(...refusals),
        },
      },
    },
    async ({ query: { limit = defaultLimit, cursor } }) => {
      const after = cursor === undefined ? null : readCursor(cursor);
      const found = await new BlockStore(db).list(clock.now(), { limit: limit + 1, after });
      const { rows, next } = toMarkedPage(found, limit, formatCursor);
      return { blocks: rows.map(toBlockView), next_cursor: next };
    },
  );
}

/** As the id of the mark that a revocation of the viewer at that time would leave. */
const formatCursor = ({ viewerId, blockedAt }: BlockPlace): string =>
  formatMarkId({ viewerId, contentId: null, markedAt: blockedAt });

/** @throws AppError VALIDATION_FAILED for a cursor that this server did not make */
function readCursor(cursor: string): BlockPlace {
  const { viewerId, contentId, markedAt: blockedAt } = parseMarkId(cursor) ?? {};
  if (!viewerId || contentId !== null || blockedAt === undefined) throw foreignCursor();
  return { viewerId, blockedAt };
}
