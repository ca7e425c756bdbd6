import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { SignUpload } from './presign-upload.ts';
import type { UploadStore } from './upload-store.ts';

/** What the store checks beside the path: who is asked, and what is sent. */
const signedHeaders = new Set(['host', 'content-type', 'content-length']);

/**
 * Signs uploads with AWS Signature Version 4, in the query of a URL. Nothing is sent: the store meets the signature when
 * the upload comes.
 *
 * Loading the SDK takes some 130 ms and 37 MB, so this file is imported only where uploads are on.
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
    // Else the checksum of an empty body is signed, and every upload that has one is refused.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // Where an upload goes is said above and nowhere else: not by AWS_ENDPOINT_URL and its like, nor by ~/.aws/config.
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  return ({ key, contentType, contentLength }, { signedAt, lifetimeSeconds }) =>
    getSignedUrl(
      client,
      new PutObjectCommand({
        Bucket: store.bucket,
        Key: key,
        ContentType: contentType,
        ContentLength: contentLength,
      }),
      {
        signingDate: new Date(signedAt),
        expiresIn: lifetimeSeconds,
        signableHeaders: signedHeaders,
      },
    );
}
