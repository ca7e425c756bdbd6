import { boolean, type Parser, secret, text } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import type { Secret } from '../secret.ts';
import { url } from '../url-parsers.ts';
import { variable } from '../variable.ts';
import { enablePresign } from './http.ts';

/** A text that becomes part of a host name or a path. Other characters would make URLs that lead nowhere. */
const named = (forms: string, pattern: RegExp): Parser<string> => ({
  forms,
  parse: (value) => (pattern.test(value) ? { value } : { wrong: 'has other characters than that' }),
});
/** Wider than S3's rules for new buckets: old buckets and other stores have capitals, `_` and other lengths. */
const bucketName = named(
  'letters, digits, `.`, `_` and `-`',
  /^[A-Za-z0-9]([A-Za-z0-9._-]{0,253}[A-Za-z0-9])?$/,
);
const regionName = named('letters, digits and `-`', /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/);

/** Where presigned uploads go. */
export const presignVariables = {
  enablePresign,
  s3Bucket: variable({ name: 'S3_BUCKET', type: bucketName, about: 'The bucket for uploads.' }),
  s3Region: variable({ name: 'S3_REGION', type: regionName, about: 'The region of the bucket.' }),
  s3Endpoint: variable({
    name: 'S3_ENDPOINT',
    type: url('http', 'https'),
    about: 'The endpoint of an S3-compatible store, as clients reach it. Unset: the one of AWS.',
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

const required = ['s3Bucket', 's3Region', 'awsAccessKeyId', 'awsSecretAccessKey'] as const;

/** `ENABLE_PRESIGN=true` without a bucket, a region and credentials would fail at the first upload instead of at the start. */
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
    return required
      .filter((key) => values[key] === undefined)
      .flatMap((key) => presignVariables[key].descriptions)
      .map(({ name, forms }) => ({
        variable: name,
        message: `${name} is not set, but ENABLE_PRESIGN=true needs it. Accepted: ${forms}.`,
      }));
  },
};
