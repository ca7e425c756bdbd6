/** Names of what is kept in the query cache; the first part is what an act makes stale. */
export const queryKeys = {
  setup: ['setup'] as const,
  apiKeys: ['api-keys'] as const,
  apiKeyPage: (filter: object, cursor: string | null) => ['api-keys', 'page', filter, cursor] as const,
  apiKeyManagers: ['api-keys', 'managers'] as const,
  contents: ['contents'] as const,
  contentPage: (asked: object) => ['contents', 'page', asked] as const,
  content: (id: string) => ['contents', 'one', id] as const,
  statistics: ['statistics'] as const,
  leases: ['leases'] as const,
  leasePage: (asked: object, cursor: string | null) => ['leases', 'page', asked, cursor] as const,
  lease: (id: string) => ['leases', 'one', id] as const,
  revocationCount: (target: object) => ['revocation-count', target] as const,
  leaseCount: (selector: object) => ['leases', 'count', selector] as const,
  auditPage: (asked: object, cursor: string | null) => ['audit', 'page', asked, cursor] as const,
  auditNews: (asked: object) => ['audit', 'news', asked] as const,
};
