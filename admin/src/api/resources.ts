/** Resources in the server's format (`/openapi.json`). Times are ISO 8601, UTC. */

export const scopes = ['admin', 'full', 'packager', 'upload', 'playback'] as const;
export type Scope = (typeof scopes)[number];

export interface ApiKey {
  id: string;
  name: string;
  /** The first 11 characters of the raw key. */
  keyPrefix: string;
  scope: Scope;
  /** Ids and prefixes of contents; null for all. */
  contents: readonly string[] | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** Absent in the answer that creates it. */
  lastUsedAt?: string | null;
}

/** The signed-in key. The bootstrap key has only a name and a scope. */
export interface CurrentApiKey extends Partial<Omit<ApiKey, 'id'>> {
  id: string | null;
  name: string;
  scope: Scope;
}

/** A new key, with the raw key, which the server never returns again. */
export interface IssuedApiKey {
  api_key: ApiKey;
  raw_key: string;
}

export type ContentStatus = 'active' | 'disabled';

export type Metadata = Record<string, unknown>;

/** Live: epoch `e` begins at `origin + e * periodSeconds`. */
export interface ClockPeriods {
  mode: 'clock';
  origin: string;
  periodSeconds: number;
  ahead?: number;
  /** Null serves all epochs that have ended. */
  behind?: number | null;
}

/** On demand: the epochs 0 to `count - 1`, whose keys are served no faster than players need them. */
export interface SequencePeriods {
  mode: 'sequence';
  count: number;
  /** The longest period. */
  periodSeconds: number;
  burst?: number;
  speed?: number;
  pace?: boolean;
}

/** When the keys of a content's epochs are served. The server answers with every member. */
export type KeyPeriods = ClockPeriods | SequencePeriods;

export interface Content {
  id: string;
  name: string;
  status: ContentStatus;
  /** The master key version for its keys. */
  keyVersion: number;
  /** Null: every key at any time. */
  keyPeriods: KeyPeriods | null;
  sizeBytes: number | null;
  /** Path of the manifest in the bucket. */
  manifestKey: string | null;
  /** Where players find its playlist, for playback sessions. */
  playlistUrl: string | null;
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
  /** `session`: given as a URL, which plays without a token. */
  kind: 'player' | 'session';
  /** Of a session: when its URL was last used, within some seconds. */
  lastUsedAt: string | null;
  /** The state at the time of the answer. A lease can expire later. */
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
  /** The credential that this caller needs to claim the server. */
  credential: 'none' | 'bootstrap-key' | 'setup-token';
}
