import { createHash, createHmac } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { AuditTable } from '../../db/schema.ts';

/** Rows that are kept for the same time share a chain, so that the retention only ever cuts the beginning of one. */
export const chainNames = ['acts', 'refusals', 'strangers'] as const;
export type ChainName = (typeof chainNames)[number];

/** What was done, what a known actor was refused, and what a caller without a valid credential was refused. */
export function chainOf({ actor_kind: actor, outcome }: { actor_kind: string; outcome: string }): ChainName {
  if (outcome !== 'refused') return 'acts';
  return actor === 'anonymous' ? 'strangers' : 'refusals';
}

/**
 * The columns that a hash covers, in their order. Another order would give other hashes. A column that came later follows them, and only in
 * rows that have it: the hashes of rows without it are what they were.
 */
const sealedColumns = [
  'number',
  'at',
  'actor_kind',
  'actor_id',
  'action',
  'target',
  'client_ip',
  'request_id',
  'outcome',
  'code',
  'affected',
  'count',
] as const satisfies readonly (keyof AuditTable)[];

/** The row as the chain covers it: all of it. */
export type SealedRow = Selectable<AuditTable>;

/** A place in a chain that is about to be hashed. */
export interface HashedPlace {
  chain: ChainName;
  place: number;
  /** The hash of the place before; empty for the first one. */
  previous: string;
  row: SealedRow;
}

/**
 * The hash of a place: of the hash before it, of its position and of the whole row.
 *
 * @param secret `AUDIT_CHAIN_SECRET`: then HMAC-SHA-256, which nobody without it can make; null: SHA-256
 * @returns 64 hex digits
 */
export function hashPlace({ chain, place, previous, row }: HashedPlace, secret: Buffer | null): string {
  const later = row.details == null ? [] : [row.details];
  const text = JSON.stringify([
    previous,
    chain,
    place,
    ...sealedColumns.map((column) => row[column]),
    ...later,
  ]);
  const hash = secret ? createHmac('sha256', secret) : createHash('sha256');
  return hash.update(text).digest('hex');
}
