import { createRecordReader, nullable } from '../contracts/index.ts';
import { type Static, Type } from '../schema/type.ts';
import { ChangeSchema } from './change.ts';

/** Something to show on the dashboard's stream: a change of authority, or another event. */
const NoticeSchema = Type.Object({
  topic: Type.Enum(['lease', 'api-key', 'content', 'audit']),
  /** The kind of event: `created`, `renewed`, `revoked`, `updated`, `recorded`. */
  event: Type.String(),
  /** The resource as the API shows it, or the selector of a revocation. */
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
});
export type Notice = Static<typeof NoticeSchema>;

/** A row's own id, and the id of the row before it: null where that does not exist. */
const FeedLinkSchema = Type.Object({ id: Type.String(), previous: nullable(Type.String()) });
export type FeedLink = Static<typeof FeedLinkSchema>;

/** Beyond it, two different numbers can look the same. */
const Whole = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/** Every change up to this number of this history of the feed. */
const placeMembers = { number: Whole, history: Type.String() };

/**
 * A message of the bus. A change has its number in the feed, the time of its row and its link, which shows the history of
 * that number. A renewal is not in the feed, because losing one is safe: a lease that looks expired is read again. `awaited`
 * asks every process to confirm that it has applied the feed up to there, and `applied` confirms it.
 */
const BusMessageSchema = Type.Union([
  Type.Object({
    type: Type.Literal('change'),
    number: Whole,
    at: Whole,
    link: FeedLinkSchema,
    change: ChangeSchema,
  }),
  Type.Object({ type: Type.Literal('renewal'), leaseId: Type.String(), notice: NoticeSchema }),
  Type.Object({ type: Type.Literal('notice'), notice: NoticeSchema }),
  Type.Object({ type: Type.Literal('awaited'), ...placeMembers }),
  Type.Object({ type: Type.Literal('applied'), process: Type.String(), ...placeMembers }),
]);
export type BusMessage = Static<typeof BusMessageSchema>;

const read = createRecordReader(BusMessageSchema);

/** @returns null for anything that is not one of our messages */
export function parseBusMessage(value: unknown): BusMessage | null {
  return read(value) ?? null;
}
