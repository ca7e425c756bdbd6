import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { UploadStore } from './config.ts';

/** The file that a client wants to upload. */
export interface Upload {
  /** The object's key: `content/<contentId>/…`. */
  key: string;
  contentType: string;
  /** Bytes; undefined if the client does not know: then any length may come. */
  contentLength?: number | undefined;
  /** `Cache-Control` that the store keeps with the object; undefined for none. */
  cacheControl?: string | undefined;
}

/** Makes the URL for one upload. `signedAt` is in milliseconds since 1970. */
export type SignUpload = (
  upload: Upload,
  life: { signedAt: number; lifetimeSeconds: number },
) => Promise<string>;

/** The headers that the store checks in addition to the path. */
const signedHeaders = new Set(['host', 'content-type', 'content-length', 'cache-control']);

/**
 * Signs uploads with AWS Signature Version 4, in the query of a URL. It sends nothing: the store checks the signature of
 * the upload.
 *
 * Loading the SDK takes some 130 ms and 37 MB, so this file is imported only if uploads are on.
 */
export function createUploadSigner(store: UploadStore): SignUpload {
  const client = new S3Client({
    region: store.region,
    ...(store.endpoint === null ? {} : { endpoint: store.endpoint }),
    forcePathStyle: store.forcePathStyle,
    credentials: {
      accessKeyId: store.accessKeyId.reveal(),
      secretAccessKey: store.secretAccessKey.reveal(),
    },
    // Otherwise the SDK signs the checksum of an empty body, and the store refuses every upload.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // The endpoint above is the only one: AWS_ENDPOINT_URL, similar variables and ~/.aws/config must not change it.
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  return ({ key, contentType, contentLength, cacheControl }, { signedAt, lifetimeSeconds }) =>
    getSignedUrl(
      client,
      new PutObjectCommand({
        Bucket: store.bucket,
        Key: key,
        ContentType: contentType,
        ContentLength: contentLength,
        CacheControl: cacheControl,
      }),
      {
        signingDate: new Date(signedAt),
        expiresIn: lifetimeSeconds,
        signableHeaders: signedHeaders,
      },
    );
}
