import {
  contentVariables,
  gatewayVariables,
  playlistVariables,
  presignVariables,
  type Secret,
  type Values,
} from '@latchkey/shared/config';

export const contentServiceVariables = {
  ...contentVariables,
  ...playlistVariables,
  ...presignVariables,
  PUBLIC_URL: gatewayVariables.PUBLIC_URL,
};

export type ContentServiceConfig = Values<typeof contentServiceVariables>;

/** The bucket for uploads, and its credentials. */
export interface UploadStore {
  bucket: string;
  region: string;
  /** Null for the endpoint of AWS. */
  endpoint: string | null;
  /** Whether the name of the bucket is in the path of a URL instead of its host name. */
  forcePathStyle: boolean;
  accessKeyId: Secret<string>;
  secretAccessKey: Secret<string>;
}

/** @returns null if uploads are off. Otherwise `checkPresign` has checked that no variable is missing. */
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
