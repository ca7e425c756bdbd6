import { type ExportedRange, isContentId, maxEpoch } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import type { FastifyRequest } from 'fastify';
import type { ContentKeyCache } from '../content-key-cache.ts';
import { ImportedKeyUnreadable } from '../imported-key-unreadable.ts';
import { MasterKeyMissing } from '../master-key-missing.ts';
import { EpochsSchema, readEpochs } from './epochs.ts';
import { type ImportedKeyRouteOptions, importedKeyPaths, ofContent, passOn } from './imported-keys.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';

/** Keys of one answer: some 90 KB. A film of three hours with a key for each 10 s has as many. */
const mostKeys = 1_000;

export interface ExportRouteOptions extends ImportedKeyRouteOptions {
  keys: ContentKeyCache;
}

const schema = {
  tags: ['Content'],
  operationId: 'exportContentKeys',
  summary: 'Export the content keys of a content',
  description:
    'To leave, or to move to another installation. Every export is in the audit. Neither the status nor the key periods of the content matter.',
  params: Type.Object({ id: Type.String() }),
  querystring: Type.Object(
    {
      epochs: Type.Optional(EpochsSchema(mostKeys, 'the key without an epoch, and all imported keys')),
      from: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: maxEpoch,
          description: 'Only without `epochs`: `next` of the answer before.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      contentId: Type.String(),
      keys: Type.Array(
        Type.Object({
          epoch: Type.Union([Type.Integer(), Type.Null()]),
          key: Type.String({ description: '32 hex digits.' }),
          source: Type.Enum(['derived', 'imported']),
        }),
      ),
      next: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Where the next page begins; null after the last one.',
      }),
    }),
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'CONTENT_NOT_FOUND',
    ),
  },
};

/** `GET /api/v1/content/:id/keys` */
export function addExportRoute(app: App, options: ExportRouteOptions): void {
  const config = {
    access: 'manage',
    contents: ofContent,
    action: 'content.export-keys',
    limit: 'api',
  } as const;
  app.get(importedKeyPaths.whole, { config, schema }, async (request, reply) => {
    const { id: contentId } = request.params;
    const { epochs, from = null } = request.query;
    const content = isContentId(contentId) ? await options.contents.findContent(contentId) : null;
    if (!content) throw new AppError('CONTENT_NOT_FOUND');
    const masterKey = options.masterKeys.find(content.keyVersion);
    if (!masterKey) throw new MasterKeyMissing();
    const listed = epochs === undefined ? null : readEpochs(epochs, mostKeys);
    const range: ExportedRange = listed
      ? { first: listed[0] ?? 0, last: listed.at(-1) ?? 0 }
      : { from, limit: mostKeys + 1 };
    const stored = await options.importedKeys.exportKeys(contentId, range, passOn(request as FastifyRequest));
    const page = stored.slice(0, mostKeys);
    const wrapped = new Map(page.map(({ epoch, wrappedKey }) => [epoch, wrappedKey]));
    const named = listed ?? [
      ...(from === null ? [null] : []),
      ...[...wrapped.keys()].filter((epoch) => epoch !== null),
    ];
    const exportKey = async (epoch: number | null) => {
      const wrappedKey = wrapped.get(epoch) ?? null;
      const key = await options.keys.load(masterKey, { contentId, epoch: epoch ?? undefined }, wrappedKey);
      if (!key) throw new ImportedKeyUnreadable(contentId);
      const source = wrappedKey === null ? ('derived' as const) : ('imported' as const);
      return { epoch, key: key.toString('hex'), source };
    };
    const keys = await Promise.all(named.map(exportKey));
    reply.header('cache-control', 'no-store');
    return { contentId, keys, next: listed ? null : (stored[mostKeys]?.epoch ?? null) };
  });
  refuseOtherMethods(app, importedKeyPaths.whole, ['GET', 'PUT', 'DELETE']);
}
