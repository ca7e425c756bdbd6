import { absentBucket } from '@latchkey/support/stack/distributed-profile';
import type { S3Credentials } from '@latchkey/support/stores/s3-signature';
import { viewerToken } from '@latchkey/support/tokens';
import type { SecretFiles } from './secret-files.ts';

/** What viewers and applications show to the server. A rotation replaces parts of it while the load runs. */
export interface Credentials {
  /** The bootstrap key. */
  adminKey: string;
  /** The token of a viewer. */
  tokenOf(viewerId: string): string;
  /** The pairs of credentials by which the bucket accepts uploads. During their rotation these are two. */
  buckets: readonly S3Credentials[];
}

/** Tokens as an application signs them with `AUTH_JWT_SECRET`. */
export const signedWith = (secret: string) => (viewerId: string) => viewerToken(secret, viewerId);

/** The credentials for the bucket, as the files hold them now. */
export const readBucket = ({ read }: SecretFiles): S3Credentials => ({
  region: absentBucket().S3_REGION ?? '',
  accessKeyId: read('AWS_ACCESS_KEY_ID'),
  secretAccessKey: read('AWS_SECRET_ACCESS_KEY'),
});
