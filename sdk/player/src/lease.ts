/** Time-bounded permission of one viewer for one content, as the server answers it. */
export interface Lease {
  readonly id: string;
  readonly viewerId: string;
  readonly contentId: string;
  readonly deviceId: string | null;
  /** `session`: a playback session, whose URL plays without a token. */
  readonly kind: 'player' | 'session';
  readonly state: 'active' | 'expired' | 'revoked';
  /** Times are ISO 8601, UTC, by the server's clock. */
  readonly createdAt: string;
  readonly renewedAt: string | null;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly revokedBy: 'viewer' | 'management' | 'limit' | null;
  readonly reason: string | null;
}

/** The answer to a lease that was created or renewed. */
export interface LeaseGrant {
  readonly lease: Lease;
  readonly ttl_seconds: number;
  readonly renew_after_seconds: number;
  /** Of a new playback session. */
  readonly url?: string;
}

/** Names one player among the viewer's leases. Unlike `randomUUID`, it also works on pages without TLS. */
export function createDeviceId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8));
  return `player-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
