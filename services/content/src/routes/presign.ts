import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts, instantOf } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { maxMediaTypeLength } from '../media-type.ts';
import type { RouteOptions } from '../own-tables.ts';
import { presignUpload, type SignUpload } from '../presign-upload.ts';
import { maxUploadKeyOctets } from '../upload-key.ts';

/** The largest object that one PUT may make: 5 GiB (S3's user guide, "Uploading objects"). */
const maxUploadOctets = 5 * 1024 ** 3;

const BodySchema = Type.Object(
  {
    key: Type.String({
      maxLength: maxUploadKeyOctets,
      description:
        'Where the object will lie in the bucket: `content/<contentId>/…`, at most 1,024 octets of UTF-8, taken as it is. No empty, `.` or `..` segment, no control character and no backslash, nor what percent-decoding would turn into one.',
    }),
    contentType: Type.String({
      maxLength: maxMediaTypeLength,
      description: 'A media type, such as `video/mp2t`. The store refuses an upload with another one.',
    }),
    contentLength: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxUploadOctets,
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
    'For API keys with scope admin, full or upload, and for viewer tokens with `upload` in their `scope` claim, within their content claim. A content that is disabled takes no uploads. An object that is there already is replaced. Without ENABLE_PRESIGN=true this is not here.',
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
