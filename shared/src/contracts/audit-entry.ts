/** The actor, as the audit stores it. */
export interface Actor {
  kind: 'api-key' | 'bootstrap-key' | 'viewer' | 'anonymous' | 'operator' | 'system';
  /** UUID of the API key or `sub` of the viewer; null where there is none. */
  id: string | null;
}

export type AuditOutcome = 'done' | 'refused';

/** One management action, done or refused. */
export interface AuditEntry {
  actor: Actor;
  /** Noun and verb, such as `api-key.create`. */
  action: string;
  /** The target: an id or a selector. */
  target: string | null;
  clientIp: string | null;
  requestId: string | null;
  outcome: AuditOutcome;
  /** The error code of a refusal. */
  code: string | null;
}
