import { type Static, Type } from 'typebox';
import { createRecordReader, nullable } from '../contracts/index.ts';
import { ChangeSchema } from './change.ts';

/** Something worth showing that is no change of authority, or that shows one: for the dashboard's stream. */
const NoticeSchema = Type.Object({
  topic: Type.Enum(['lease', 'api-key', 'content', 'audit']),
  event: Type.String({
    description: 'What happened: `created`, `renewed`, `revoked`, `updated`, `recorded`.',
  }),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'The resource as the API shows it, or the selector of a revocation.',
  }),
});
export type Notice = Static<typeof NoticeSchema>;

/** What a row of the feed is known by, and the row that it follows: null where that has no id, or is not there. */
const FeedLinkSchema = Type.Object({ id: Type.String(), previous: nullable(Type.String()) });
export type FeedLink = Static<typeof FeedLinkSchema>;

/** Beyond them two numbers look like one. */
const Whole = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/**
 * What the bus carries. A change has its number in the feed and the time of its row. Without a link nothing says which history
 * the number belongs to. A hint is a change from a sender that nobody vouches for, 0.2.0 among them: it may be wrong,
 * and only has the feed read sooner. A renewal is not in the feed, because losing one is safe: a lease that looks expired is
 * read again.
 */
const BusMessageSchema = Type.Union([
  Type.Object({
    type: Type.Literal('change'),
    number: Whole,
    at: Whole,
    link: Type.Optional(nullable(FeedLinkSchema)),
    change: ChangeSchema,
  }),
  Type.Object({ type: Type.Literal('hint'), change: ChangeSchema }),
  Type.Object({ type: Type.Literal('renewal'), leaseId: Type.String(), notice: NoticeSchema }),
  Type.Object({ type: Type.Literal('notice'), notice: NoticeSchema }),
]);
export type BusMessage = Static<typeof BusMessageSchema>;

const read = createRecordReader(BusMessageSchema);

/** @returns null for anything that is not a message of ours */
export function parseBusMessage(value: unknown): BusMessage | null {
  return read(value) ?? null;
}
