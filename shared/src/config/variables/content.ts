import { boolean, formOf, oneOf, secret, text, textUnless } from '../forms.ts';
import type { Report, Values } from '../settings.ts';
import { exactOrigins, url } from '../url-forms.ts';

/** Which content ids get keys. */
export const contentVariables = {
  CONTENT_MODE: oneOf('registered', 'any')
    .default('registered')
    .describe('`any` gives keys for ids that were never registered too.'),
};

/** Where the playlists of playback sessions come from. Read by the content service and by the service that fetches them. */
export const playlistVariables = {
  PLAYLIST_ORIGINS: exactOrigins
    .default([])
    .describe(
      'The origins that playlists of session URLs are fetched from, redirects included. None: no content can have a playlistUrl.',
    ),
};

/** A text that becomes part of a host name or a path. Other characters would make URLs that lead nowhere. */
const named = (forms: string, pattern: RegExp) =>
  textUnless(forms, (value) => (pattern.test(value) ? undefined : 'has other characters than that'));
/** Wider than S3's rules for new buckets: old buckets and other stores have capitals, `_` and other lengths. */
const bucketName = named(
  'letters, digits, `.`, `_` and `-`',
  /^[A-Za-z0-9]([A-Za-z0-9._-]{0,253}[A-Za-z0-9])?$/,
);
const regionName = named('letters, digits and `-`', /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/);

/** Where presigned uploads go. */
export const presignVariables = {
  ENABLE_PRESIGN: boolean
    .default(false)
    .describe('Turns POST /presign on. Viewer authentication and the S3 variables are then required.'),
  S3_BUCKET: bucketName.optional().describe('The bucket for uploads.'),
  S3_REGION: regionName.optional().describe('The region of the bucket.'),
  S3_ENDPOINT: url('http', 'https')
    .optional()
    .describe('The endpoint of an S3-compatible store, as clients reach it. Unset: the one of AWS.'),
  S3_FORCE_PATH_STYLE: boolean
    .default(false)
    .describe('Puts the bucket in the path of the URL instead of the host name.'),
  AWS_ACCESS_KEY_ID: secret(text).optional().describe('The access key that signs uploads.'),
  AWS_SECRET_ACCESS_KEY: secret(text).optional().describe('The secret that goes with the access key.'),
};

/** `ENABLE_PRESIGN=true` without a bucket, a region and credentials would fail at the first upload instead of at the start. */
export function checkPresign(
  {
    enablePresign,
    s3Bucket,
    s3Region,
    awsAccessKeyId,
    awsSecretAccessKey,
  }: Partial<Values<typeof presignVariables>>,
  { refuse }: Report,
): void {
  if (!enablePresign) return;
  const needed = {
    S3_BUCKET: s3Bucket,
    S3_REGION: s3Region,
    AWS_ACCESS_KEY_ID: awsAccessKeyId,
    AWS_SECRET_ACCESS_KEY: awsSecretAccessKey,
  };
  for (const name of Object.keys(needed) as (keyof typeof needed)[])
    if (needed[name] === undefined)
      refuse(
        name,
        `is not set, but ENABLE_PRESIGN=true needs it. Accepted: ${formOf(presignVariables[name]).forms}`,
      );
}
