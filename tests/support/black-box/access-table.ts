import { type CredentialKind, credentialKinds } from './credentials.ts';

const noCredential = '401 UNAUTHENTICATED';
const badKey = '401 INVALID_API_KEY';
const badToken = '401 INVALID_TOKEN';
const noScope = '403 INSUFFICIENT_SCOPE';
const notEntitled = '403 CONTENT_NOT_ENTITLED';
const noContent = '404 CONTENT_NOT_FOUND';
const noKey = '404 API_KEY_NOT_FOUND';

type Row = Record<CredentialKind, string>;

/** The refusals of every route that needs an API key. */
const refusals = {
  none: noCredential,
  revoked: badKey,
  expired: badKey,
  garbage: badKey,
  viewer: noScope,
  anotherViewer: noScope,
  viewerOfOtherContent: noScope,
} as const;

/** @param limited what a key with the scope full gets of contents that it is not limited to; refused, of what is about the whole server */
const managed = (success: string, limited = noScope): Row => ({
  ...refusals,
  admin: success,
  full: success,
  packager: noScope,
  upload: noScope,
  playback: noScope,
  bootstrap: success,
  limited,
});
const readable = (success: string, limited = noContent): Row => ({
  ...managed(success, limited),
  packager: success,
  playback: success,
});
const packaged = (success: string, limited: string): Row => ({
  ...managed(success, limited),
  packager: success,
});
const forAnyKey = (success: string): Row => ({ ...readable(success, success), upload: success });
const open = (answer: string): Row =>
  Object.fromEntries(credentialKinds.map((kind) => [kind, answer])) as unknown as Row;
/** For routes that accept a viewer's token: text that is not a credential counts as a bad token. */
const played = (api: Row, viewers: Pick<Row, 'viewer' | 'anotherViewer' | 'viewerOfOtherContent'>): Row => ({
  ...api,
  garbage: badToken,
  ...viewers,
});

/**
 * The answer of each route of the server's document to each kind of credential: `docs/reference/contract.md#scopes`.
 *
 * @param keyInfo what a key that may read gets of the routes that need `PUBLIC_URL`
 * @param session what a key that may play gets of the routes that need a listed origin
 */
export function describeAccess(keyInfo: string, session: string): Record<string, Row> {
  return { ...describeManagement(keyInfo), ...describePlayback(session) };
}

function describeManagement(keyInfo: string): Record<string, Row> {
  // Documents for packagers need `PUBLIC_URL` as well.
  const cpix = keyInfo;
  // Without `PUBLIC_URL` nothing is decided.
  const spoken = cpix === '200' ? notEntitled : cpix;
  return {
    'GET /health': open('200'),
    'GET /ready': open('200'),
    'GET /api/v1/setup': open('200'),
    // An API key is stored by then, so setup is over.
    'POST /api/v1/setup': open('409 SETUP_ALREADY_DONE'),
    'POST /api/v1/api-keys': managed('201'),
    'GET /api/v1/api-keys': managed('200', '200'),
    'GET /api/v1/api-keys/current': forAnyKey('200'),
    'GET /api/v1/api-keys/{id}': managed('200', noKey),
    'PATCH /api/v1/api-keys/{id}': managed('200', noKey),
    'DELETE /api/v1/api-keys/{id}': managed('200', noKey),
    'POST /api/v1/api-keys/{id}/rotate': managed('201', noKey),
    'GET /api/v1/audit': managed('200'),
    'GET /api/v1/audit/export': managed('200'),
    'GET /api/v1/usage': managed('200', '200'),
    'GET /api/v1/events': managed('200'),
    // A webhook is added only where WEBHOOK_ORIGINS lists its origin, so the others name one that does not exist.
    'POST /api/v1/webhooks': managed('409 WEBHOOKS_OFF'),
    'GET /api/v1/webhooks': managed('200'),
    'GET /api/v1/webhooks/{id}': managed('404 WEBHOOK_NOT_FOUND'),
    'PATCH /api/v1/webhooks/{id}': managed('404 WEBHOOK_NOT_FOUND'),
    'DELETE /api/v1/webhooks/{id}': managed('404 WEBHOOK_NOT_FOUND'),
    'POST /api/v1/webhooks/{id}/rotate-secret': managed('404 WEBHOOK_NOT_FOUND'),
    'POST /api/v1/webhooks/{id}/test': managed('409 WEBHOOKS_OFF'),
    'GET /api/v1/webhooks/{id}/deliveries': managed('404 WEBHOOK_NOT_FOUND'),
    'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay': managed('409 WEBHOOKS_OFF'),
    'POST /api/v1/content': { ...managed('201', '400 VALIDATION_FAILED'), packager: '201' },
    'GET /api/v1/content': readable('200', '200'),
    'GET /api/v1/content/{id}': readable('200'),
    'PATCH /api/v1/content/{id}': managed('200', noContent),
    'DELETE /api/v1/content/{id}': managed('200', noContent),
    'GET /api/v1/content/{id}/key-info': readable(keyInfo),
    'PUT /api/v1/content/{id}/key-info': readable(keyInfo),
    'GET /api/v1/content/{id}/cpix': packaged(cpix, spoken),
    'GET /api/v1/content/{id}/vod-drm': packaged('200', notEntitled),
    'GET /api/v1/content/{id}/keys': managed('200', noContent),
    'PUT /api/v1/content/{id}/keys': managed('204', noContent),
    'PUT /api/v1/content/{id}/keys/{epoch}': managed('204', noContent),
    'DELETE /api/v1/content/{id}/keys': managed('204', noContent),
    'DELETE /api/v1/content/{id}/keys/{epoch}': managed('204', noContent),
    'POST /speke/v2.0/copyProtection': packaged(cpix, spoken),
    'POST /speke/v1.0/copyProtection': packaged(cpix, spoken),
    'GET /speke/v1.0/heartbeat': packaged('200', '200'),
    'GET /api/v1/statistics': managed('200'),
    'GET /api/v1/leases': managed('200', '200'),
    'GET /api/v1/leases/{id}': managed('200', '404 LEASE_NOT_FOUND'),
    'GET /api/v1/viewers': managed('200', '200'),
    'GET /api/v1/viewers/blocks': managed('200'),
    'GET /api/v1/viewers/{viewerId}/block': managed('200'),
    'PUT /api/v1/viewers/{viewerId}/block': managed('200'),
    'DELETE /api/v1/viewers/{viewerId}/block': managed('204'),
    'GET /api/v1/marks': managed('200', '200'),
    'DELETE /api/v1/marks/{id}': managed('204'),
    'POST /api/v1/key-decisions': managed('200', noContent),
  };
}

function describePlayback(session: string): Record<string, Row> {
  const viewers = (answer: string) => ({
    viewer: answer,
    anotherViewer: answer,
    viewerOfOtherContent: notEntitled,
  });
  const key = played(readable('200', notEntitled), viewers('200'));
  return {
    'GET /keys/{contentId}': key,
    'GET /keys/{contentId}/{epoch}': key,
    'GET /keys/{contentId}/kid/{kid}': key,
    'POST /licenses/clearkey/{contentId}': key,
    'PUT /keys/{contentId}/{epoch}': key,
    'PUT /keys/{contentId}': key,
    // Whatever else a request presents: the path is the credential.
    'GET /play/{sid}/{name}': open('401 INVALID_SESSION'),
    'POST /keys/leases': played(managed('201', noContent), viewers('201')),
    'POST /keys/sessions': played(managed(session, noContent), viewers(session)),
    'POST /keys/leases/renew': played(managed('200', '403 LEASE_UNKNOWN'), {
      ...viewers('200'),
      anotherViewer: '403 LEASE_UNKNOWN',
    }),
    // A viewer may release its own lease despite the content claim, because a release gives no access.
    'POST /keys/leases/revoke': played(managed('200', '404 LEASE_NOT_FOUND'), {
      viewer: '200',
      anotherViewer: '404 LEASE_NOT_FOUND',
      viewerOfOtherContent: '200',
    }),
    'POST /presign': played(
      { ...managed('200', noContent), upload: '200' },
      // None of them has `upload` in its scope claim.
      { viewer: noScope, anotherViewer: noScope, viewerOfOtherContent: noScope },
    ),
    'POST /api/v1/player-metrics': played(
      { ...managed(noScope) },
      { viewer: '204', anotherViewer: '204', viewerOfOtherContent: '204' },
    ),
  };
}
