import type { Generated } from 'kysely';

/** A receiver of events. */
export interface WebhookTable {
  id: string;
  name: string;
  url: string;
  /** `whsec_` and base64, in the clear: each message is signed with it. */
  secret: string;
  /** The one before, which also signs until then; null without one. */
  previous_secret: string | null;
  previous_until: number | null;
  /** The types of events that it wants, as a JSON list. */
  events: string;
  /** `active` or `paused`. */
  status: string;
  /** `admin`, or `receiver` after a 410; null while it is active. */
  paused_by: string | null;
  /** API keys that expire up to this time were announced to it. */
  expiring_to: Generated<number>;
  /** Events that were dropped because too many waited. */
  dropped: Generated<number>;
  /** During which numbers of the audit it was not active, as JSON. */
  deaf: Generated<string>;
  created_at: number;
  updated_at: number;
}

/** A message to a webhook. */
export interface WebhookDeliveryTable {
  /** The `webhook-id` that the receiver gets. */
  id: string;
  webhook_id: string;
  type: string;
  /** The body, as it is signed and sent. */
  payload: string;
  /** `pending`, `delivered` or `failed`. */
  state: string;
  created_at: number;
  /** When its state became what it is, by an end or a replay. */
  changed_at: number;
  /** A try moves it into the future before it begins, so that no other process tries at the same time. */
  next_try_at: number;
  /** Tries that began. */
  tries: Generated<number>;
  last_try_at: number | null;
  /** The status of the last answer; null if there was none. */
  last_status: number | null;
  /** Why the last try failed; null if it did not. */
  last_error: string | null;
}

/** An alert that is under way. */
export interface AlertTable {
  id: string;
  severity: string;
  title: string;
  advice: string;
  started_at: number;
  /** When a process last reported it. */
  seen_at: number;
}
