import type { RefusalLog } from '../audit/index.ts';
import {
  createStrictReader,
  ExportedKeySchema,
  ImportedKeyAnswerSchema,
  ImportedKeyChangeSchema,
  type ImportedKeyName,
  type ImportedKeyReader,
  type ImportedKeyStore,
  nullable,
  type PassedOnAct,
  RefusedActSchema,
} from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { Type } from '../schema/type.ts';
import { personHeaders } from './answer-headers.ts';
import { importedKeyBatch } from './batch-kinds.ts';
import { createBatchReader } from './batch-routes.ts';
import { gatherReads } from './gather-reads.ts';
import type { InternalClient } from './internal-client.ts';

/** The internal routes of imported keys. A content that does not exist is an answer and no fault of the service. */
export const importedKeyRoutes = {
  find: { path: '/internal/imported-keys' },
  change: {
    path: '/internal/imported-keys',
    BodySchema: ImportedKeyChangeSchema,
    AnswerSchema: Type.Object({ stored: Type.Boolean() }),
  },
  export: {
    path: '/internal/imported-keys/export',
    BodySchema: Type.Object({
      contentId: Type.String(),
      range: Type.Union([
        Type.Object({ first: Type.Integer(), last: Type.Integer() }),
        Type.Object({ from: nullable(Type.Integer()), limit: Type.Integer() }),
      ]),
    }),
    AnswerSchema: Type.Object({ keys: Type.Array(ExportedKeySchema) }),
  },
} as const;

/** Refusals of acts that a process without a database refuses. */
export const refusalRoute = {
  path: '/internal/refusals',
  BodySchema: Type.Object({ entry: RefusedActSchema }),
} as const;

const readFound = createStrictReader(ImportedKeyAnswerSchema, 'an imported key');
const readStored = createStrictReader(importedKeyRoutes.change.AnswerSchema, 'whether the key was stored');
const readExported = createStrictReader(importedKeyRoutes.export.AnswerSchema, 'imported keys');

/** The imported keys of the content service over HTTP. */
export function createImportedKeyClient(content: InternalClient): ImportedKeyReader & ImportedKeyStore {
  return {
    findImportedKey: gatherReads({
      readOne: (name: ImportedKeyName) =>
        content.get(`${importedKeyRoutes.find.path}?${toQuery(name)}`, (body) => readFound(body).wrappedKey),
      readMany: createBatchReader(content, importedKeyBatch, (wrappedKey) => wrappedKey),
    }),
    async changeKey(change, act) {
      const { path } = importedKeyRoutes.change;
      const { stored } = await content.post(path, change, readStored, headersOf(act));
      if (!stored) throw new AppError('CONTENT_NOT_FOUND');
    },
    exportKeys: (contentId, range, act) =>
      content.post(
        importedKeyRoutes.export.path,
        { contentId, range },
        (body) => readExported(body).keys,
        headersOf(act),
      ),
  };
}

/** The client as the gateway describes it to a service. */
function headersOf({ authorization, facts }: PassedOnAct): Record<string, string> {
  return {
    authorization,
    ...personHeaders(facts.person),
    ...(facts.clientIp !== null && { 'x-forwarded-for': facts.clientIp }),
    ...(facts.requestId !== null && { 'x-request-id': facts.requestId }),
  };
}

function toQuery({ contentId, epoch }: ImportedKeyName): URLSearchParams {
  return new URLSearchParams({ contentId, ...(epoch === null ? {} : { epoch: String(epoch) }) });
}

/** Sends refusals to a service with a database. One that cannot be sent does not hold up its answer: the operator's log has the fault. */
export function createRefusalClient(service: InternalClient): RefusalLog {
  return {
    async record(entry) {
      await service.post(refusalRoute.path, { entry }, () => undefined).catch(() => {});
    },
    settle: async () => {},
  };
}
