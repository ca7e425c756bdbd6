import { assertContentExists } from '@latchkey/shared/auth';
import {
  CacheControlSchema,
  findMarkRefusal,
  isContentId,
  isEntitled,
  type Principal,
  viewerIdOf,
} from '@latchkey/shared/contracts';
import { findMarkState } from '@latchkey/shared/db';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, type AuditFacts, auditFacts, instantOf, validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { findContent } from '../content-store.ts';
import type { Ledger, RouteOptions } from '../own-tables.ts';
import type { SignUpload, Upload } from '../upload-signer.ts';

/** The longest key of an S3 object, in bytes of UTF-8 (its user guide, "Naming Amazon S3 objects"). */
export const maxUploadKeyBytes = 1_024;

/**
 * Whose folder of the bucket the key of an upload lies in (`docs/reference/contract.md#uploads`). The key is the object's name byte
 * for byte: it is neither decoded nor composed (NFC). A key that the store, a CDN or a player that decodes once too
 * often would read as another folder is refused, and so is a name that no object should have.
 *
 * @throws AppError VALIDATION_FAILED
 */
export function readUploadKey(key: string): { contentId: string } {
  const refuse = (message: string) => validationFailure('/key', message);
  if (!key.isWellFormed()) throw refuse('must be valid Unicode');
  if (Buffer.byteLength(key) > maxUploadKeyBytes) {
    throw refuse(`must not have more than ${maxUploadKeyBytes} bytes of UTF-8`);
  }
  const [folder, contentId = '', ...rest] = key.split('/');
  if (folder !== 'content' || !isContentId(contentId) || rest.length === 0) {
    throw refuse('must start with content/<contentId>/');
  }
  for (const reading of readingsOf(key)) {
    if (/\p{Cc}/u.test(reading)) throw refuse('must not have control characters, percent-encoded or not');
    if (reading.includes('\\')) throw refuse('must not have backslashes, percent-encoded or not');
    if (reading.split('/').some((segment) => ['', '.', '..'].includes(segment))) {
      throw refuse('must not have an empty, `.` or `..` segment, percent-encoded or not');
    }
  }
  return { contentId };
}

/**
 * The key, and the results of decoding it again and again. Only ASCII has a meaning in a path. Each round makes the text shorter, so
 * it ends.
 */
function* readingsOf(key: string): Generator<string> {
  for (let reading = key; ; ) {
    yield reading;
    const decoded = reading.replace(/%([0-7][0-9a-f])/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === reading) return;
    reading = decoded;
  }
}

/** Type and subtype: `restricted-name` of RFC 6838, section 4.2. The type of a file has no `*`. */
const name = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
/** RFC 9110, section 5.6.2. */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** RFC 9110, section 5.6.4, without tabs and non-ASCII characters: stores change those. */
const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const mediaType = new RegExp(`^${name}/${name}(?: *; *${token}=(?:${token}|${quoted}))*$`);

/** Far above what is in use; a header of S3 may have 8 KiB in all. */
export const maxMediaTypeLength = 255;

/**
 * @returns the same text
 * @throws AppError VALIDATION_FAILED if it is not a `media-type` of RFC 9110, section 8.3.1
 */
export function readMediaType(text: string): string {
  if (text.length <= maxMediaTypeLength && mediaType.test(text)) return text;
  throw validationFailure(
    '/contentType',
    `must be a media type such as video/mp2t, of at most ${maxMediaTypeLength} characters`,
  );
}

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
    cacheControl: Type.Optional(CacheControlSchema),
  },
  { additionalProperties: false },
);
const AnswerSchema = Type.Object({
  url: Type.String({ format: 'uri', description: 'A credential for this one upload: keep it to yourself.' }),
  method: Type.Literal('PUT'),
  headers: Type.Object(
    {
      'Content-Type': Type.String(),
      'Content-Length': Type.Optional(Type.String()),
      'Cache-Control': Type.Optional(Type.String()),
    },
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
  operationId: 'presignUpload',
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
      'VIEWER_BLOCKED',
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
    {
      config: { access: 'presign', contents: 'narrowed', action: 'upload.presign', limit: 'presign' },
      schema,
    },
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
  headers: { 'Content-Type': string; 'Content-Length'?: string; 'Cache-Control'?: string };
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** `docs/reference/contract.md#uploads`. */
const lifetimeSeconds = 300;

/**
 * Lets the bearer of a URL put one object into the folder of an active content. For an API key it is audited with the key of the
 * object, because the bucket knows only the signer. The row shows that a URL was given. The object shows that it was used. For a viewer
 * it leaves no row: a token could fill the disk with them.
 *
 * @throws AppError VALIDATION_FAILED, CONTENT_NOT_ENTITLED if the viewer's token names other contents,
 *   CONTENT_NOT_FOUND if the content is not registered or is disabled, VIEWER_BLOCKED if the viewer is blocked, TOKEN_REVOKED if a
 *   revocation of the viewer or the content is newer than the viewer's token
 */
async function presignUpload(
  { ledger, signUpload }: { ledger: Ledger; signUpload: SignUpload },
  upload: Upload,
  principal: Principal | null,
  facts: AuditFacts,
): Promise<PresignedUpload> {
  const { key, contentLength, cacheControl } = upload;
  const { contentId } = readUploadKey(key);
  const contentType = readMediaType(upload.contentType);
  if (principal) assertContentExists(principal, contentId);
  if (principal && !isEntitled(principal, contentId)) throw new AppError('CONTENT_NOT_ENTITLED');
  const now = await ledger.write(async (entry) => {
    const content = await findContent(entry.tx, contentId);
    if (content?.status !== 'active') throw new AppError('CONTENT_NOT_FOUND');
    const viewerId = principal && viewerIdOf(principal);
    const refusal =
      principal &&
      viewerId !== null &&
      findMarkRefusal(principal, await findMarkState(entry.tx, viewerId, contentId), entry.now);
    if (refusal) throw new AppError(refusal);
    if (principal?.kind === 'api-key')
      await entry.audit({ ...facts, action: 'upload.presign', target: key, outcome: 'done', code: null });
    return entry.now;
  });
  // A signature has whole seconds.
  const signedAt = Math.floor(now / 1_000) * 1_000;
  return {
    url: await signUpload({ key, contentType, contentLength, cacheControl }, { signedAt, lifetimeSeconds }),
    headers: {
      'Content-Type': contentType,
      ...(contentLength === undefined ? {} : { 'Content-Length': String(contentLength) }),
      ...(cacheControl === undefined ? {} : { 'Cache-Control': cacheControl }),
    },
    expiresAt: signedAt + lifetimeSeconds * 1_000,
  };
}
