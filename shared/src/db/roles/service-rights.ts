import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

type Right = 'select' | 'insert' | 'update' | 'delete';

/** The rights on one table: on all of it, or on the named columns alone. */
export type TableRights = Readonly<Partial<Record<Right, true | readonly string[]>>>;

/** The rights of each service that has rows on the tables that these services share. */
const common = {
  changes: { select: true, insert: true },
  // The history id changes only through `latchkey migrate`, which runs as the owner of the tables.
  change_counter: { select: true, update: ['number', 'awaited'] },
  followers: { select: true, insert: true, update: true, delete: true },
  ready_probe: { select: true, update: ['at'] },
} as const;

/** Each service adds rows to the audit and reads none of them. The count of a group of refusals grows for a minute. */
const writesAudit = {
  audit: { insert: true, select: ['number'], update: ['count'] },
} as const;

/** A service that removes old rows. */
const purges = {
  purge_clock: { select: true, update: ['trusted_at', 'step_at', 'step_lasted_ms'] },
} as const;

/**
 * The tables that each service uses, and what it does with them. The types of the services and the grants of their Postgres
 * roles both come from here. docs/operate/database-roles.md shows it to operators.
 *
 * The code of the release before runs with the grants of this one, so a right goes away only a release after its last use.
 */
export const serviceRights = {
  auth: {
    ...common,
    api_keys: { select: true, insert: true, update: true },
    setup_claim: { select: true, insert: true, update: true },
    // Rows are removed by the function `audit_purge` alone.
    audit: { select: true, insert: true, update: ['count'] },
    audit_readers: { select: true, update: ['passed', 'waiting', 'sent', 'sending', 'sending_since'] },
    usage_counts: { select: true, insert: true, update: ['served', 'refused'], delete: true },
    usage_reports: { select: true, insert: true, delete: true },
    // Whether the number of leases of an act is still to come: it tells nothing of who watches what.
    revocations: { select: ['audit_number', 'finished_at'] },
    webhooks: { select: true, insert: true, update: true, delete: true },
    webhook_deliveries: { select: true, insert: true, update: true, delete: true },
    alerts: { select: true, insert: true, update: true, delete: true },
    auth_idempotency_keys: { select: true, insert: true, update: true, delete: true },
    ...purges,
  },
  content: {
    ...common,
    contents: { select: true, insert: true, update: true },
    key_versions: { select: true, insert: true },
    imported_keys: { select: true, insert: true, update: ['wrapped_key', 'imported_at'], delete: true },
    // An upload needs the marks and the block of its viewer in its own transaction. See `findMarkState`.
    marks: { select: true },
    viewer_blocks: { select: true },
    ...writesAudit,
  },
  leases: {
    ...common,
    leases: { select: true, insert: true, update: true, delete: true },
    sessions: { select: true, insert: true, update: ['used_at'], delete: true },
    marks: { select: true, insert: true, update: true, delete: true },
    viewer_blocks: { select: true, insert: true, update: true, delete: true },
    revocations: { select: true, insert: true, update: true, delete: true },
    lease_idempotency_keys: { select: true, insert: true, update: true, delete: true },
    // For its list of viewers: the keys and refusals of each within the last hour.
    usage_counts: { select: true },
    ...purges,
    // It purges the change feed for all services.
    changes: { select: true, insert: true, delete: true },
    // It writes how many leases a revocation ended once it has written their rows.
    ...writesAudit,
    audit: { ...writesAudit.audit, update: ['count', 'affected'] },
  },
} as const satisfies Record<string, Partial<Record<keyof Schema, TableRights>>>;

/** The functions that each service may run, which act with the rights of their owner. */
export const serviceFunctions = {
  auth: ['audit_purge(text, bigint, bigint, integer)'],
  content: [],
  leases: [],
} as const satisfies Record<keyof typeof serviceRights, readonly string[]>;

/** A service that has rows. Key-derivation and the gateway have none. */
export type RowService = keyof typeof serviceRights;

export const rowServices = Object.keys(serviceRights) as readonly RowService[];

/** The tables that one service uses. */
export type ServiceSchema<S extends RowService> = Pick<
  Schema,
  Extract<keyof (typeof serviceRights)[S], keyof Schema>
>;

/** The database as one service sees it: a query on the table of another service does not compile. */
export type ServiceDatabase<S extends RowService> = Kysely<ServiceSchema<S>>;
export type ServiceTransaction<S extends RowService> = Transaction<ServiceSchema<S>>;
