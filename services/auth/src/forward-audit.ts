import {
  type ChainedPlace,
  type ChainName,
  chainNames,
  readPlaces,
  toAuditRecord,
} from '@latchkey/shared/audit';
import type { AuditSink } from './audit-sink.ts';
import type { Database } from './own-tables.ts';

/** Some 200 KB, written at once. */
const placesAtOnce = 500;

/** Places of a chain that the retention removed before the sink took them. */
export interface LostPlaces {
  chain: ChainName;
  first: number;
  last: number;
}

export interface ForwardOptions {
  db: Database;
  sink: AuditSink;
  signal: AbortSignal;
  /** Called once for each gap, when later rows have been sent. */
  onLost: (lost: LostPlaces) => void;
}

/**
 * Sends chained rows to a sink as JSON lines, each chain in its order. The place is stored after the sink has taken them, so each row
 * is sent at least once, and again after a crash in between. Two processes that forward at the same time may both send a row: a lock would
 * keep a transaction open while the sink works.
 *
 * @returns how many rows were sent
 */
export async function forwardAudit(options: ForwardOptions): Promise<number> {
  const { signal } = options;
  let sent = 0;
  for (const chain of chainNames) {
    for (let count = placesAtOnce; count === placesAtOnce && !signal.aborted; sent += count)
      count = await forwardSome(chain, options);
  }
  return sent;
}

async function forwardSome(chain: ChainName, { db, sink, onLost }: ForwardOptions): Promise<number> {
  const head = await db
    .selectFrom('audit_chains')
    .select(['place', 'cut_place', 'forwarded_place'])
    .where('chain', '=', chain)
    .executeTakeFirstOrThrow();
  const after = Math.max(head.cut_place, head.forwarded_place);
  if (after >= head.place) return 0;
  const places = await readPlaces(db, chain, { after, upTo: head.place, limit: placesAtOnce });
  const [first, last] = [places[0], places.at(-1)];
  if (!first || !last) return 0;
  await sink.write(places.map((place) => toLine(chain, place)));
  await db
    .updateTable('audit_chains')
    .set({ forwarded_place: last.place })
    .where('chain', '=', chain)
    .where('forwarded_place', '<', last.place)
    .execute();
  // Later than `cut_place` says, where the retention ran in between.
  if (first.place > head.forwarded_place + 1)
    onLost({ chain, first: head.forwarded_place + 1, last: first.place - 1 });
  return places.length;
}

/** A row as the list of the audit shows it, with its place and hash: the last line of a chain is an anchor for `latchkey audit verify`. */
function toLine(chain: ChainName | null, { place, hash, row }: ChainedPlace): string {
  return JSON.stringify({ ...(row && toAuditRecord(row)), chain, place, hash });
}
