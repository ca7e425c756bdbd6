import type { presignVariables, Secret, Values } from '@latchkey/shared/config';

/** The bucket that uploads go to, and what signs for it. */
export interface UploadStore {
  bucket: string;
  region: string;
  /** Null: the one of AWS. */
  endpoint: string | null;
  /** Whether the bucket stands in the path of a URL instead of its host name. */
  forcePathStyle: boolean;
  accessKeyId: Secret<string>;
  secretAccessKey: Secret<string>;
}

/** @returns null where uploads are off. `presignRule` has seen to it that else nothing is missing. */
export function readUploadStore(values: Values<typeof presignVariables>): UploadStore | null {
  const { enablePresign, s3Bucket, s3Region, awsAccessKeyId, awsSecretAccessKey } = values;
  if (!enablePresign) return null;
  if (!s3Bucket || !s3Region || !awsAccessKeyId || !awsSecretAccessKey) {
    throw new Error('presign is on without a bucket: its rule was not applied');
  }
  return {
    bucket: s3Bucket,
    region: s3Region,
    endpoint: values.s3Endpoint ?? null,
    forcePathStyle: values.s3ForcePathStyle,
    accessKeyId: awsAccessKeyId,
    secretAccessKey: awsSecretAccessKey,
  };
}
