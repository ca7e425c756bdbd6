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
import type { BusMessage } from './message.ts';

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
  return message.type === 'change' || message.type === 'hint' ? changes : notices;
}

/** Makes the stream where it is missing. A stream that an operator made with other settings is used unchanged. */
async function ensureStream(manager: JetStreamManager): Promise<void> {
  try {
    await manager.streams.add({
      name: streamName,
      subjects: [changes, notices],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      // Messages are hints, and the database has their content: a disk would only make them slower.
      storage: StorageType.Memory,
      max_age: nanos(keptMs),
      max_msgs: keptMessages,
      max_bytes: keptBytes,
    });
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== streamNameInUse) throw error;
  }
}

/** A consumer of this process alone that begins with the next message. The change feed brings the messages that it missed. */
export async function openConsumer(connection: NatsConnection, timeoutMs: number): Promise<Consumer> {
  const manager = await jetstreamManager(connection, { timeout: timeoutMs });
  await ensureStream(manager);
  return manager.jetstream().consumers.get(streamName, { deliver_policy: DeliverPolicy.New });
}
