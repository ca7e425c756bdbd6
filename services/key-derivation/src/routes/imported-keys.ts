import type { RefusalLog } from '@latchkey/shared/audit';
import {
  type ContentReader,
  type ContentState,
  type ImportedKeyStore,
  isContentId,
  maxEpoch,
  type PassedOnAct,
} from '@latchkey/shared/contracts';
import { contentKeyBytes, deriveWrappingKey, wrapContentKey } from '@latchkey/shared/derivation';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, addRefusalAudit, auditFacts, validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import type { FastifyRequest } from 'fastify';
import { MasterKeyMissing } from '../master-key-missing.ts';
import type { MasterKeyRing } from '../master-key-ring.ts';
import { EpochSchema } from './epochs.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';

export interface ImportedKeyRouteOptions {
  contents: ContentReader;
  importedKeys: ImportedKeyStore;
  /** Refused acts get a row in the audit, as in the services that have a database. */
  refusals: RefusalLog;
  masterKeys: Pick<MasterKeyRing, 'find'>;
  /** Drops the state of a content here, so that this process serves the changed key with the next request. */
  forget: (contentId: string) => void;
}

/** Larger bodies are not read to their end. If the body is not a key file, the answer still reports its length. */
const bodyLimitBytes = 1_024;

const problemsOfAll = problems(
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'INVALID_API_KEY',
  'INSUFFICIENT_SCOPE',
  'CONTENT_NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
);
const done = { 204: Type.Null({ description: 'Done.' }), ...problemsOfAll };

export const importedKeyPaths = {
  whole: '/api/v1/content/:id/keys',
  epoch: '/api/v1/content/:id/keys/:epoch',
} as const;
/** For routes with the id of a content in their path. */
export const ofContent = { in: 'params', member: 'id' } as const;
const limit = 'keys';
const importing = { access: 'manage', contents: ofContent, action: 'content.import-key', limit } as const;
const removing = { access: 'manage', contents: ofContent, action: 'content.remove-key', limit } as const;

const IdSchema = Type.String();
const whole = Type.Object({ id: IdSchema });
const ofEpoch = Type.Object({ id: IdSchema, epoch: EpochSchema });

/** `PUT` and `DELETE` of `/api/v1/content/:id/keys` and `/api/v1/content/:id/keys/:epoch`. */
export function addImportedKeyRoutes(app: App, options: ImportedKeyRouteOptions): void {
  addRefusalAudit(app, options.refusals);
  acceptBytes(app);
  const forms = [
    { url: importedKeyPaths.whole, params: whole, of: '', suffix: '' },
    { url: importedKeyPaths.epoch, params: ofEpoch, of: ' of one period', suffix: 'OfEpoch' },
  ] as const;
  for (const { url, params, of, suffix } of forms) {
    app.route({
      method: 'PUT',
      url,
      config: importing,
      bodyLimit: bodyLimitBytes,
      schema: {
        tags: ['Content'],
        operationId: `importContentKey${suffix}`,
        summary: `Import a content key${of} that exists already`,
        description:
          'The body is the 16 bytes of the key, whatever its type. The key is stored wrapped under the master key, and served instead of the derived one. A key that was imported before is replaced.',
        params,
        body: { content: { 'application/octet-stream': { schema: Type.Unknown() } } },
        response: done,
      },
      handler: async (request, reply) => {
        const { name, content } = await readTarget(options, request.params);
        const contentKey = readContentKey(request.body);
        const masterKey = options.masterKeys.find(content.keyVersion);
        if (!masterKey) throw new MasterKeyMissing();
        const wrappedKey = wrapContentKey(await deriveWrappingKey(masterKey), contentKey);
        await options.importedKeys.changeKey({ ...name, wrappedKey }, passOn(request as FastifyRequest));
        options.forget(name.contentId);
        return reply.code(204).send(null);
      },
    });
    app.route({
      method: 'DELETE',
      url,
      config: removing,
      schema: {
        tags: ['Content'],
        operationId: `removeImportedContentKey${suffix}`,
        summary: `Remove an imported content key${of}`,
        description: 'The derived key is served again, also if no key had been imported.',
        params,
        response: done,
      },
      handler: async (request, reply) => {
        const { name } = await readTarget(options, request.params);
        await options.importedKeys.changeKey(
          { ...name, wrappedKey: null },
          passOn(request as FastifyRequest),
        );
        options.forget(name.contentId);
        return reply.code(204).send(null);
      },
    });
  }
  refuseOtherMethods(app, importedKeyPaths.epoch, ['PUT', 'DELETE']);
}

/** The act of a request, for the service that does it: that one checks the credential again. */
export function passOn(request: FastifyRequest): PassedOnAct {
  return { facts: auditFacts(request), authorization: request.headers.authorization ?? '' };
}

/** The type says nothing of a key: `curl --data-binary` calls it a form. */
function acceptBytes(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
}

/** @throws AppError CONTENT_NOT_FOUND, VALIDATION_FAILED. A disabled content may get its keys before it is enabled */
async function readTarget(
  { contents }: ImportedKeyRouteOptions,
  { id: contentId, epoch: text }: { id: string; epoch?: string },
): Promise<{ name: { contentId: string; epoch: number | null }; content: ContentState }> {
  const epoch = text === undefined ? null : Number(text);
  if (epoch !== null && epoch > maxEpoch) throw validationFailure('/epoch', `must be at most ${maxEpoch}`);
  const content = isContentId(contentId) ? await contents.findContent(contentId) : null;
  if (!content) throw new AppError('CONTENT_NOT_FOUND');
  return { name: { contentId, epoch }, content };
}

/** @throws AppError VALIDATION_FAILED */
function readContentKey(body: unknown): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length === contentKeyBytes) return bytes;
  throw validationFailure(
    '/',
    `must be the ${contentKeyBytes} bytes of a content key, and has ${bytes.length}`,
  );
}
