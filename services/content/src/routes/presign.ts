import { isEntitled, isHeldByMark, type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import { findLatestMark } from '@latchkey/shared/db';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, type AuditFacts, auditFacts, instantOf } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { findContent } from '../content-store.ts';
import type { Ledger, RouteOptions } from '../own-tables.ts';
import { maxMediaTypeLength, maxUploadKeyBytes, readMediaType, readUploadKey } from '../upload-request.ts';
import type { SignUpload, Upload } from '../upload-signer.ts';

/** The largest object that one PUT may make: 5 GiB (S3's user guide, "Uploading objects"). */
const maxUploadBytes = 5 * 1024 ** 3;

const BodySchema = Type.Object(
  {
    key: Type.String({
      maxLength: maxUploadKeyBytes,
      description:
        'Where the object will lie in the bucket: `content/<contentId>/…`, at most 1,024 bytes of UTF-8, unchanged. It has no empty, `.` or `..` segment, no control character and no backslash, also after percent-decoding.',
    }),
    contentType: Type.String({
      maxLength: maxMediaTypeLength,
      description: 'A media type, such as `video/mp2t`. The store refuses an upload with another one.',
    }),
    contentLength: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxUploadBytes,
        description: 'Bytes. If given, the store refuses an upload of another length.',
      }),
    ),
  },
  { additionalProperties: false },
);
const AnswerSchema = Type.Object({
  url: Type.String({ format: 'uri', description: 'A credential for this one upload: keep it to yourself.' }),
  method: Type.Literal('PUT'),
  headers: Type.Object(
    { 'Content-Type': Type.String(), 'Content-Length': Type.Optional(Type.String()) },
    {
      description: 'Headers that the upload must send unchanged. A browser sets `Content-Length` by itself.',
    },
  ),
  expires_at: Type.String({
    format: 'date-time',
    description: 'In 300 seconds. An upload must begin before.',
  }),
});

const schema = {
  tags: ['Uploads'],
  summary: 'Get a URL that uploads one file of a content',
  description:
    'For API keys with scope admin, full or upload, and for viewer tokens with `upload` in their `scope` claim, within their content claim. A disabled content accepts no uploads. An existing object is replaced. Without ENABLE_PRESIGN=true this route does not exist.',
  body: BodySchema,
  response: {
    200: AnswerSchema,
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_API_KEY',
      'INVALID_TOKEN',
      'INSUFFICIENT_SCOPE',
      'CONTENT_NOT_ENTITLED',
      'TOKEN_REVOKED',
      'CONTENT_NOT_FOUND',
    ),
  },
};

export function addPresignRoute(
  app: App,
  options: Pick<RouteOptions, 'ledger'> & { signUpload: SignUpload },
): void {
  app.post(
    '/presign',
    { config: { access: 'presign', action: 'upload.presign', limit: 'presign' }, schema },
    async (request) => {
      const { url, headers, expiresAt } = await presignUpload(
        options,
        request.body,
        request.principal,
        auditFacts(request),
      );
      return { url, method: 'PUT' as const, headers, expires_at: instantOf(expiresAt) };
    },
  );
}

interface PresignedUpload {
  url: string;
  /** Headers that the client must send unchanged: the store refuses others. */
  headers: { 'Content-Type': string; 'Content-Length'?: string };
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** `docs/contract.md#uploads`. */
const lifetimeSeconds = 300;

/**
 * Lets the bearer of a URL put one object into the folder of an active content. It is audited with the key of the
 * object for every caller, because the bucket knows only the signer. The row shows that a URL was given. The object shows that it
 * was used.
 *
 * @throws AppError VALIDATION_FAILED, CONTENT_NOT_ENTITLED if the viewer's token names other contents,
 *   CONTENT_NOT_FOUND if the content is not registered or is disabled, TOKEN_REVOKED if a revocation of the viewer or
 *   the content is newer than the viewer's token
 */
async function presignUpload(
  { ledger, signUpload }: { ledger: Ledger; signUpload: SignUpload },
  upload: Upload,
  principal: Principal | null,
  facts: AuditFacts,
): Promise<PresignedUpload> {
  const { key, contentLength } = upload;
  const { contentId } = readUploadKey(key);
  const contentType = readMediaType(upload.contentType);
  if (principal && !isEntitled(principal, contentId)) throw new AppError('CONTENT_NOT_ENTITLED');
  const now = await ledger.write(async (entry) => {
    const content = await findContent(entry.tx, contentId);
    if (content?.status !== 'active') throw new AppError('CONTENT_NOT_FOUND');
    const viewerId = principal && viewerIdOf(principal);
    if (
      principal &&
      viewerId !== null &&
      isHeldByMark(principal, await findLatestMark(entry.tx, viewerId, contentId))
    )
      throw new AppError('TOKEN_REVOKED');
    await entry.audit({ ...facts, action: 'upload.presign', target: key, outcome: 'done', code: null });
    return entry.now;
  });
  // A signature has whole seconds.
  const signedAt = Math.floor(now / 1_000) * 1_000;
  return {
    url: await signUpload({ key, contentType, contentLength }, { signedAt, lifetimeSeconds }),
    headers: {
      'Content-Type': contentType,
      ...(contentLength === undefined ? {} : { 'Content-Length': String(contentLength) }),
    },
    expiresAt: signedAt + lifetimeSeconds * 1_000,
  };
}
