import type { S3Server } from '../stores/s3-server.ts';
import type { Environment } from './server-process.ts';

/** The variables that turn on `POST /presign` for a bucket. */
export function uploadSettings(store: Omit<S3Server, 'close'>): Environment {
  return {
    ENABLE_PRESIGN: 'true',
    S3_ENDPOINT: store.endpoint,
    S3_FORCE_PATH_STYLE: 'true',
    S3_BUCKET: store.bucket,
    S3_REGION: store.region,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
}

/** For tests that request URLs without using them. Signing needs no connection, so the store need not exist. */
export const uploadsOn = uploadSettings({
  endpoint: 'http://127.0.0.1:9',
  bucket: 'videos',
  region: 'eu-central-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
});
