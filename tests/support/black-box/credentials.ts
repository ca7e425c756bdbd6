import { viewerToken } from '../tokens.ts';
import { eventually } from './eventually.ts';
import { createApiKey, createBriefApiKey, revokeApiKey } from './server-actions.ts';
import type { Target } from './target.ts';
import { unique } from './unique.ts';

/** Every kind of credential that a request can have. */
export const credentialKinds = [
  'none',
  'admin',
  'full',
  'packager',
  'upload',
  'playback',
  'revoked',
  'expired',
  'bootstrap',
  'limited',
  'viewer',
  'anotherViewer',
  'viewerOfOtherContent',
  'garbage',
] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export interface Credentials {
  /** The viewer of `viewer` and of `viewerOfOtherContent`. */
  viewerId: string;
  of: Readonly<Record<CredentialKind, string | undefined>>;
}

/** Makes one of each kind. The expired API key was accepted before, so it is refused because of its expiry. */
export async function makeCredentials(target: Target): Promise<Credentials> {
  const { client, adminApiKey, jwtSecret } = target;
  const viewerId = unique('viewer');
  const keyOf = async (scope: string) => (await createApiKey(target, scope)).raw;
  const limitedTo = { contents: [`${unique('elsewhere')}-*`] };
  const revoked = await createApiKey(target, 'admin');
  await revokeApiKey(target, revoked.id);
  const expired = await createBriefApiKey(target, 'admin');
  await eventually(async () => {
    const { status } = await client.get('/api/v1/api-keys/current', expired.raw);
    if (status !== 401) throw new Error('not yet expired');
  });
  return {
    viewerId,
    of: {
      none: undefined,
      admin: await keyOf('admin'),
      full: await keyOf('full'),
      packager: await keyOf('packager'),
      upload: await keyOf('upload'),
      playback: await keyOf('playback'),
      revoked: revoked.raw,
      expired: expired.raw,
      bootstrap: adminApiKey,
      // It may do all that `full` may, to contents that no test has.
      limited: (await createApiKey(target, 'full', limitedTo)).raw,
      viewer: viewerToken(jwtSecret, viewerId),
      anotherViewer: viewerToken(jwtSecret, unique('viewer')),
      viewerOfOtherContent: viewerToken(jwtSecret, viewerId, { content_ids: ['something-else'] }),
      garbage: unique('garbage'),
    },
  };
}
