import { boolean, secret, text } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import type { Secret } from '../secret.ts';
import { url } from '../url-parsers.ts';
import { variable } from '../variable.ts';
import { enablePresign } from './http.ts';

/** Where presigned uploads go. */
export const presignVariables = {
  enablePresign,
  s3Bucket: variable({ name: 'S3_BUCKET', type: text, about: 'The bucket for uploads.' }),
  s3Region: variable({ name: 'S3_REGION', type: text, about: 'The region of the bucket.' }),
  s3Endpoint: variable({
    name: 'S3_ENDPOINT',
    type: url('http', 'https'),
    about: 'The endpoint of an S3-compatible store. Unset: the one of AWS.',
  }),
  s3ForcePathStyle: variable({
    name: 'S3_FORCE_PATH_STYLE',
    type: boolean,
    fallback: false,
    about: 'Puts the bucket in the path of the URL instead of the host name.',
  }),
  awsAccessKeyId: variable({
    name: 'AWS_ACCESS_KEY_ID',
    type: secret(text),
    about: 'The access key that signs uploads.',
  }),
  awsSecretAccessKey: variable({
    name: 'AWS_SECRET_ACCESS_KEY',
    type: secret(text),
    about: 'The secret that goes with the access key.',
  }),
};

const required = {
  s3Bucket: 'S3_BUCKET',
  s3Region: 'S3_REGION',
  awsAccessKeyId: 'AWS_ACCESS_KEY_ID',
  awsSecretAccessKey: 'AWS_SECRET_ACCESS_KEY',
} as const;

/** `ENABLE_PRESIGN=true` without a bucket, a region and credentials would fail at the first upload instead of now. */
export const presignRule: Rule<{
  enablePresign?: boolean;
  s3Bucket?: string | undefined;
  s3Region?: string | undefined;
  awsAccessKeyId?: Secret<string> | undefined;
  awsSecretAccessKey?: Secret<string> | undefined;
}> = {
  uses: ['enablePresign', 's3Bucket', 's3Region', 'awsAccessKeyId', 'awsSecretAccessKey'],
  check(values) {
    if (!values.enablePresign) return [];
    const keys = Object.keys(required) as (keyof typeof required)[];
    return keys
      .filter((key) => values[key] === undefined)
      .map((key) => required[key])
      .map((name) => ({ variable: name, message: `${name} is not set, but ENABLE_PRESIGN=true needs it.` }));
  },
};
