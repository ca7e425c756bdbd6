import { busiestWebhook } from './fill-webhooks.ts';

const dayMs = 86_400_000;

/** A request whose answer is read to its end. */
export interface ListRequest {
  path: string;
  /** Sent by POST. */
  body?: unknown;
}

/** What the dashboard reads, by names. On tables that `fillLists` has filled with `listSizes`. */
export function listRequests(now: number): Record<string, ListRequest> {
  const paths = {
    ...apiKeyPaths,
    ...contentPaths,
    ...leasePaths(now),
    ...auditPaths(now),
    ...otherPaths,
    ...usagePaths(now),
  };
  return {
    ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, { path }])),
    'explanation of a refusal': {
      path: '/api/v1/key-decisions',
      body: { contentId: 'content-0', viewerId: 'viewer-21' },
    },
  };
}

const timeOf = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
const cursorOf = (text: string) => Buffer.from(text).toString('base64url');

const apiKeyPaths = {
  'API keys': '/api/v1/api-keys?limit=100',
  'API keys, part of a name': '/api/v1/api-keys?limit=100&q=workshop%207777',
  'API keys, nothing of that name': '/api/v1/api-keys?limit=100&q=nothing',
  'API keys, admin': '/api/v1/api-keys?limit=100&scope=admin',
  'API keys, never expire': '/api/v1/api-keys?limit=100&expires=never&status=active',
  'API keys, expire within 14 days': '/api/v1/api-keys?limit=100&expires=within-14-days',
  'API keys, unused 90 days': '/api/v1/api-keys?limit=100&unusedDays=90',
  'API keys, unused 199 days, rare': '/api/v1/api-keys?limit=100&unusedDays=199&scope=admin',
  'API keys, oldest first': '/api/v1/api-keys?limit=100&sort=createdAt',
  'API keys, next to expire first': '/api/v1/api-keys?limit=100&sort=expiresAt&status=active',
  'API keys, last to expire first': '/api/v1/api-keys?limit=100&sort=-expiresAt',
  'API keys by expiry, part of a name': '/api/v1/api-keys?limit=100&sort=expiresAt&q=workshop%207777',
};

const contentPaths = {
  contents: '/api/v1/content?limit=50',
  'contents, last page': '/api/v1/content?limit=50&offset=99950',
  'contents, part of a name': '/api/v1/content?limit=50&q=part%20777',
  'contents, all match': '/api/v1/content?limit=50&q=film',
  'contents, none matches': '/api/v1/content?limit=50&q=nothing',
  'contents, disabled': '/api/v1/content?limit=50&status=disabled',
  'contents by name': '/api/v1/content?limit=50&sort=name',
  'contents by name, last page': '/api/v1/content?limit=50&sort=name&offset=99950',
  'contents by name, disabled': '/api/v1/content?limit=50&sort=-name&status=disabled',
  'contents by name, part of a name': '/api/v1/content?limit=50&sort=name&q=part%20777',
  'contents, an id begins so': '/api/v1/content?limit=5&prefix=content-777',
  'contents, all names begin so': '/api/v1/content?limit=5&prefix=the',
  'one content': '/api/v1/content/content-0',
};

function leasePaths(now: number) {
  const late = cursorOf(`${now - 80_000_000}:x`);
  return {
    leases: '/api/v1/leases?limit=100',
    'leases, deep page': `/api/v1/leases?limit=100&cursor=${late}`,
    'leases, active': '/api/v1/leases?limit=100&state=active',
    'leases, active, after the last one': `/api/v1/leases?limit=100&state=active&cursor=${late}`,
    'leases, expired, older than all active': '/api/v1/leases?limit=100&state=expired',
    'leases, revoked': '/api/v1/leases?limit=100&state=revoked',
    'leases of a content with half of them': '/api/v1/leases?limit=100&contentId=content-0',
    'the same, expired': '/api/v1/leases?limit=100&contentId=content-0&state=expired',
    'the same, revoked': '/api/v1/leases?limit=100&contentId=content-0&state=revoked',
    'leases of a viewer with a twentieth': '/api/v1/leases?limit=100&viewerId=viewer-0&state=expired',
    'leases of a viewer and a content': '/api/v1/leases?limit=100&viewerId=viewer-21&contentId=content-0',
    'leases of that viewer and a rare content':
      '/api/v1/leases?limit=100&viewerId=viewer-0&contentId=content-77',
    'leases, oldest first': '/api/v1/leases?limit=100&sort=createdAt',
    'leases, active, oldest first': '/api/v1/leases?limit=100&sort=createdAt&state=active',
    'leases, expired, oldest first': '/api/v1/leases?limit=100&sort=createdAt&state=expired',
    'leases, revoked, oldest first': '/api/v1/leases?limit=100&sort=createdAt&state=revoked',
    'leases of half, active, oldest first':
      '/api/v1/leases?limit=100&sort=createdAt&state=active&contentId=content-0',
    'leases of a twentieth, active, oldest first':
      '/api/v1/leases?limit=100&sort=createdAt&state=active&viewerId=viewer-0',
    'leases, next to end first': '/api/v1/leases?limit=100&sort=expiresAt&state=active',
    'leases, last to end first': '/api/v1/leases?limit=100&sort=-expiresAt&state=active',
    'leases by end, deep page': `/api/v1/leases?limit=100&sort=expiresAt&state=active&cursor=${cursorOf(
      `expiresAt~${now + 3_600_900}:e`,
    )}`,
  };
}

function auditPaths(now: number) {
  const day = `from=${timeOf(now - 20 * dayMs)}&to=${timeOf(now - 19 * dayMs)}`;
  return {
    audit: '/api/v1/audit',
    'audit, deep page': `/api/v1/audit?cursor=${cursorOf('5000000:')}`,
    'audit, oldest first': '/api/v1/audit?sort=at',
    'audit, one action': '/api/v1/audit?action=lease.revoke',
    'audit, no such action': '/api/v1/audit?action=no.such',
    'audit, a kind of actor': '/api/v1/audit?actor=viewer',
    'audit, an API key': '/api/v1/audit?actor=key-7',
    'audit, done, one of a hundred': '/api/v1/audit?outcome=done',
    'audit, one target': '/api/v1/audit?target=content-77',
    'audit, one target, oldest first': '/api/v1/audit?target=content-77&sort=at',
    'audit, one day': `/api/v1/audit?${day}`,
    'audit, one day, a kind of actor': `/api/v1/audit?${day}&actor=viewer`,
    'audit, one day, filters that never meet': `/api/v1/audit?${day}&action=lease.list&outcome=done`,
    'audit, filters that rarely meet': '/api/v1/audit?action=content.update&outcome=done&actor=viewer',
    'audit, the same, oldest first': '/api/v1/audit?action=content.update&outcome=done&actor=viewer&sort=at',
    'audit, a target and an outcome that never meet': '/api/v1/audit?target=content-77&outcome=done',
    'audit, an API key and an outcome that never meet': '/api/v1/audit?actor=key-7&outcome=done',
    'audit, an actor and an action that never meet': '/api/v1/audit?actor=key-7&action=no.such',
    'history of a content': '/api/v1/audit?target=content-77&limit=10',
    'history of a viewer': '/api/v1/audit?actor=viewer-5000000&limit=10',
    'history of what has none': '/api/v1/audit?target=viewer%3Anobody&limit=10',
  };
}

function usagePaths(now: number) {
  const usage = (spanMs: number, by: string) =>
    `/api/v1/usage?from=${timeOf(now - spanMs)}&to=${timeOf(now)}&by=${by}`;
  return {
    'usage of 6 hours by content, minutes': usage(dayMs / 4, 'content'),
    'usage of a day by viewer, ten minutes': usage(dayMs, 'viewer'),
    'usage of 30 days by API key, hours': usage(30 * dayMs, 'api-key'),
    'usage of 30 days, one code': `${usage(30 * dayMs, 'code')}&id=CODE_10`,
    webhooks: '/api/v1/webhooks',
    deliveries: `/api/v1/webhooks/${busiestWebhook}/deliveries`,
    'deliveries, failed': `/api/v1/webhooks/${busiestWebhook}/deliveries?state=failed`,
    'deliveries, pending, none': `/api/v1/webhooks/${busiestWebhook}/deliveries?state=pending`,
  };
}

const otherPaths = {
  viewers: '/api/v1/viewers?limit=50',
  'viewers, an id begins so': '/api/v1/viewers?limit=5&prefix=viewer-1999',
  'viewers, none begins so': '/api/v1/viewers?limit=5&prefix=nobody',
  'viewers, a later page': `/api/v1/viewers?limit=50&cursor=${cursorOf('viewer-7')}`,
  marks: '/api/v1/marks?limit=50',
  'marks of a viewer': '/api/v1/marks?limit=50&viewerId=viewer-21',
  'marks of a content': '/api/v1/marks?limit=50&contentId=content-0',
  statistics: '/api/v1/statistics',
  'latest refusals': '/api/v1/statistics?steps=1&refusals=500',
  'settings with the size of the database': '/api/v1/statistics?steps=1&settings=true',
};
