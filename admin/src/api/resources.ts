/** Resources as the server sends them (`/openapi.json`). Times are ISO 8601, UTC. */

export const scopes = ['admin', 'full', 'upload', 'playback'] as const;
export type Scope = (typeof scopes)[number];

export interface ApiKey {
  id: string;
  name: string;
  /** The first 11 characters of the raw key. */
  keyPrefix: string;
  scope: Scope;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** Absent in the answer that creates it. */
  lastUsedAt?: string | null;
}

/** Who is signed in: of the bootstrap key there is no id, nor anything below it. */
export interface CurrentApiKey extends Partial<Omit<ApiKey, 'id'>> {
  id: string | null;
  name: string;
  scope: Scope;
}

/** A key that was made this moment, with what is never shown again. */
export interface IssuedApiKey {
  api_key: ApiKey;
  raw_key: string;
}

export type ContentStatus = 'active' | 'disabled';

export type Metadata = Record<string, unknown>;

export interface Content {
  id: string;
  name: string;
  status: ContentStatus;
  /** The version of the master key that its keys are derived with. */
  keyVersion: number;
  sizeBytes: number | null;
  /** Where the manifest lies in the bucket. */
  manifestKey: string | null;
  metadata: Metadata;
  createdAt: string;
  updatedAt: string;
}

export const leaseStatuses = ['active', 'expired', 'revoked'] as const;
export type LeaseStatus = (typeof leaseStatuses)[number];

export interface Lease {
  id: string;
  viewerId: string;
  contentId: string;
  deviceId: string | null;
  /** As it was when the server answered: a lease expires by itself. */
  state: LeaseStatus;
  createdAt: string;
  renewedAt: string | null;
  expiresAt: string;
  revokedAt: string | null;
  revokedBy: 'viewer' | 'management' | 'limit' | null;
  reason: string | null;
}

export interface SetupState {
  setup_required: boolean;
  /** What this caller has to present to claim the server. */
  credential: 'none' | 'bootstrap-key' | 'setup-token';
}
