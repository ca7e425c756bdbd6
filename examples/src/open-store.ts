import { type S3Server, startS3Server } from '@latchkey/support/stores/s3-server';
import { UsageError } from './usage-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The bucket that the environment names, or one on this machine that `close` removes.
 *
 * @throws UsageError if S3_ENDPOINT is set and another variable is not
 */
export async function openStore(env: Environment): Promise<S3Server> {
  if (!env.S3_ENDPOINT) return startS3Server();
  const need = (name: string): string => {
    const value = env[name];
    if (!value) throw new UsageError(`${name} is not set: S3_ENDPOINT needs it`);
    return value;
  };
  return {
    endpoint: env.S3_ENDPOINT.replace(/(?<!\/)\/+$/, ''),
    bucket: need('S3_BUCKET'),
    region: need('S3_REGION'),
    accessKeyId: need('AWS_ACCESS_KEY_ID'),
    secretAccessKey: need('AWS_SECRET_ACCESS_KEY'),
    close: async () => {},
  };
}

/** The variables that turn on presigned uploads to this bucket in a key server. */
export function presignVariables(store: S3Server): Record<string, string> {
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
