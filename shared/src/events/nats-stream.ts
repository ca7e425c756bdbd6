import {
  type Consumer,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { createRecordReader } from '../contracts/index.ts';
import { Type } from '../schema/type.ts';
import { type Seal, sealLength } from '../seal/seal.ts';
import { type BusMessage, parseBusMessage } from './message.ts';

const streamName = 'LATCHKEY';
const changes = 'latchkey.changes';
const notices = 'latchkey.notices';
/** No process reads older messages: one that was away reads the change feed. Kept messages help to diagnose a fault. */
const keptMs = 3_600_000;
const keptMessages = 100_000;
const keptBytes = 64 * 1024 * 1024;
/** JetStream, API error codes: the name is in use by a stream with other settings. */
const streamNameInUse = 10058;

export function subjectOf(message: BusMessage): string {
  return message.type === 'renewal' || message.type === 'notice' ? notices : changes;
}

/** Makes the stream if it is missing. A stream that an operator made with other settings is used unchanged. */
async function ensureStream(manager: JetStreamManager, copies: number): Promise<void> {
  try {
    await manager.streams.add({
      name: streamName,
      subjects: [changes, notices],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      // Messages are hints, and the database has their content: a disk would only make them slower.
      storage: StorageType.Memory,
      num_replicas: copies,
      max_age: nanos(keptMs),
      max_msgs: keptMessages,
      max_bytes: keptBytes,
    });
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== streamNameInUse) throw error;
  }
}

/**
 * A consumer of this process alone that begins with the next message. The change feed brings the messages that it missed.
 *
 * @param copies of the stream, on as many servers of a cluster
 */
export async function openConsumer(
  connection: NatsConnection,
  timeoutMs: number,
  copies: number,
): Promise<Consumer> {
  const manager = await jetstreamManager(connection, { timeout: timeoutMs });
  await ensureStream(manager, copies);
  return manager.jetstream().consumers.get(streamName, { deliver_policy: DeliverPolicy.New });
}

/** A message on its way between processes. */
interface Envelope {
  /** The process that sent it, which has already applied it. */
  origin: string;
  message: BusMessage;
  /** The span that sent it, where traces are on. The seal covers it, so that a stranger cannot have traces recorded. */
  traceparent?: string;
}

/** Other members are ignored; the seal is cut off before. */
const readEnvelope = createRecordReader(
  Type.Object({ origin: Type.String(), message: Type.Unknown(), traceparent: Type.Optional(Type.String()) }),
);
/**
 * Larger than any message of ours: a content with 16 KiB of metadata, of which JSON may escape each byte as six, and the
 * other members.
 */
const longestEnvelope = 262_144;
const place = 'bus';
/** The seal is the first member, so that it can be cut off. It covers the bytes that follow, however JSON formats them. */
const beforeSeal = '{"seal":"';
const afterSeal = '",';
const sealedFrom = beforeSeal.length + sealLength + afterSeal.length;

export function formatEnvelope({ origin, message, traceparent }: Envelope, seal: Seal): string {
  const text = JSON.stringify({ origin, message, traceparent }).slice(1);
  return `${beforeSeal}${seal.of(place, text)}${afterSeal}${text}`;
}

/**
 * @returns the envelope, and whether one of our processes sealed it; null for anything that is not an envelope. Without a
 *   valid seal, the sender may be anyone with access to NATS
 */
export function parseEnvelope(bytes: Uint8Array, seal: Seal): (Envelope & { isSealed: boolean }) | null {
  if (bytes.length > longestEnvelope) return null;
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const envelope = readEnvelope(value);
  const message = envelope && parseBusMessage(envelope.message);
  if (!message) return null;
  return { ...envelope, message, isSealed: isSealed(text, seal) };
}

function isSealed(text: string, seal: Seal): boolean {
  if (!text.startsWith(beforeSeal)) return false;
  const presented = text.slice(beforeSeal.length, beforeSeal.length + sealLength);
  return (
    text.startsWith(afterSeal, sealedFrom - afterSeal.length) &&
    seal.isOf(place, text.slice(sealedFrom), presented)
  );
}
