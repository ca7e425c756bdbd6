/** Values that the server takes, in the order in which the dashboard offers them. A value that it does not know is a type error. */
import type { QueryOf } from './api.ts';
import type { ClockPeriods, Lease, Scope, SequencePeriods, Statistics, WebhookDelivery } from './schema.ts';

export const scopes = ['admin', 'full', 'packager', 'upload', 'playback'] as const satisfies Scope[];
export const apiKeyStatuses = ['active', 'expired', 'revoked'] as const;
export const contentStatuses = ['active', 'disabled'] as const;
export const leaseStates = ['active', 'expired', 'revoked'] as const satisfies Lease['state'][];
export const auditOutcomes = ['done', 'refused'] as const;
export const deliveryStates = [
  'pending',
  'delivered',
  'failed',
] as const satisfies WebhookDelivery['state'][];
export const usageKinds = ['code', 'content', 'viewer', 'api-key'] as const satisfies UsageKind[];
export const usageRequests = ['keys', 'leases'] as const satisfies UsageRequests[];
export const webhookEvents = [
  'lease.revoked',
  'lease.limit-reached',
  'api-key.expiring',
  'alert.started',
  'alert.ended',
] as const;

/** The orders of each list, without the usual one: newest first. */
export const apiKeyOrders = ['createdAt', 'expiresAt', '-expiresAt'] as const;
export const auditOrders = ['at'] as const;
export const contentOrders = ['createdAt', 'name', '-name'] as const;
/** Only active leases of everybody are listed by their expiry. */
export const leaseOrders = ['createdAt', 'expiresAt', '-expiresAt'] as const;
/** Every order of viewers: which one is usual depends on the search. */
export const viewerOrders = [
  'viewerId',
  '-lastSeenAt',
  '-activeLeases',
  '-devices',
  '-served',
  '-refused',
  '-revokedAt',
] as const satisfies QueryOf<'/api/v1/viewers'>['sort'][];

/** The server counts the rows of a list up to here. */
export const countedUpTo = { apiKeys: 100_000, audit: 10_000, leases: 10_000 };

export type KeyPeriods = ClockPeriods | SequencePeriods;
export type UsageKind = NonNullable<QueryOf<'/api/v1/usage'>['by']>;
/** Without both together. */
type UsageRequests = Exclude<NonNullable<QueryOf<'/api/v1/usage'>['requests']>, 'all'>;
export type AuthorityChange = Statistics['changes'][number];
export type Concern = Statistics['concerns'][number];
export type ConfigurationWarning = Statistics['warnings'][number];
export type Refusal = Statistics['refusals'][number];
