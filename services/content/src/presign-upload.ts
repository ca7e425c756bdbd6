import { isEntitled, isHeldByMark, type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import { findLatestMark } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import type { AuditFacts } from '@latchkey/shared/http';
import { findContent } from './content-store.ts';
import { readMediaType } from './media-type.ts';
import type { Ledger } from './own-tables.ts';
import { readUploadKey } from './upload-key.ts';

/** The file that a client wants to upload. */
export interface Upload {
  /** The object's key: `content/<contentId>/…`. */
  key: string;
  contentType: string;
  /** Bytes; undefined if the client does not know: then any length may come. */
  contentLength?: number | undefined;
}

/** Makes the URL for one upload. `signedAt` is in milliseconds since 1970. */
export type SignUpload = (
  upload: Upload,
  life: { signedAt: number; lifetimeSeconds: number },
) => Promise<string>;

export interface PresignedUpload {
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
export async function presignUpload(
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
