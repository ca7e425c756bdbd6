import { type Change, parseChange } from './change.ts';

/** Something worth showing that is no change of authority, or that shows one: for the dashboard's stream. */
export interface Notice {
  topic: 'lease' | 'api-key' | 'content' | 'audit';
  /** What happened: `created`, `renewed`, `revoked`, `updated`, `recorded`. */
  event: string;
  /** The resource as the API shows it, or the selector of a revocation. */
  data: Record<string, unknown>;
}

/** What a row of the feed is known by, and the row that it follows. */
export interface FeedLink {
  id: string;
  /** Null where the row before has no id, or is not there. */
  previous: string | null;
}

/**
 * What the bus carries. A change has its number in the feed and the time of its row. Without a link nothing says which history
 * the number belongs to. A hint is a change from a sender that nobody vouches for, 0.2.0 among them: its number and time may
 * be wrong, and so they are not there. A renewal is not in the feed, because losing one is safe: a lease that looks expired is
 * read again.
 */
export type BusMessage =
  | { type: 'change'; number: number; at: number; link?: FeedLink | null; change: Change }
  | { type: 'hint'; change: Change }
  | { type: 'renewal'; leaseId: string; notice: Notice }
  | { type: 'notice'; notice: Notice };

const topics = ['lease', 'api-key', 'content', 'audit'];

/** @returns null for anything that is not a message of ours */
export function parseBusMessage(value: unknown): BusMessage | null {
  if (typeof value !== 'object' || value === null) return null;
  const message = value as Record<string, unknown>;
  if (message.type === 'hint') {
    const change = parseChange(message.change);
    return change && { type: 'hint', change };
  }
  if (message.type === 'change') {
    const change = parseChange(message.change);
    const { number, at } = message;
    if (!change || !Number.isSafeInteger(number) || !Number.isSafeInteger(at)) return null;
    const link = parseLink(message.link);
    return {
      type: 'change',
      number: number as number,
      at: at as number,
      ...(link && { link }),
      change,
    };
  }
  const notice = parseNotice(message.notice);
  if (!notice) return null;
  if (message.type === 'notice') return { type: 'notice', notice };
  const { type, leaseId } = message;
  return type === 'renewal' && typeof leaseId === 'string' ? { type, leaseId, notice } : null;
}

function parseNotice(value: unknown): Notice | null {
  if (typeof value !== 'object' || value === null) return null;
  const { topic, event, data } = value as Record<string, unknown>;
  if (!topics.includes(topic as string) || typeof event !== 'string') return null;
  return typeof data === 'object' && data !== null ? ({ topic, event, data } as Notice) : null;
}

function parseLink(value: unknown): FeedLink | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id, previous } = value as Record<string, unknown>;
  if (typeof id !== 'string' || (typeof previous !== 'string' && previous !== null)) return null;
  return { id, previous };
}
