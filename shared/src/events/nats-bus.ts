import { jetstream } from '@nats-io/jetstream';
import type { Seal } from '../seal/seal.ts';
import type { Tracer } from '../traces/index.ts';
import { type Bus, createInProcessBus } from './bus.ts';
import { parseBusMessage } from './message.ts';
import { type NatsLinkOptions, openNatsLink } from './nats-link.ts';
import { formatEnvelope, parseEnvelope, subjectOf } from './nats-stream.ts';

/** How long a message may wait for its acknowledgement. No request waits with it. */
const publishTimeoutMs = 2_000;
/** Maximum messages without an acknowledgement; more are dropped. At 1 KB each they take 10 MB. */
const unacknowledgedAtMost = 10_000;
const unsealed =
  'a message from NATS has no seal of this installation and was ignored: its sender has another INTERNAL_SECRET, or is a ' +
  'stranger who can write to NATS';

/** `origin` identifies this process's own messages: unique to the process. */
interface NatsBusOptions extends Omit<NatsLinkOptions, 'receive'> {
  /** Optional. Default: null, which turns traces off. */
  tracer?: Tracer | null;
  /** Distinguishes the messages of this installation from the messages of others with access to NATS. */
  seal: Seal;
  /** Called for lost connections, for the first of several messages that could not be sent, and for malformed messages. */
  onFault: (error: unknown) => void;
}

/** A bus between processes. */
export type NatsBus = ReturnType<typeof createNatsBus>;

/**
 * The bus over NATS JetStream. Listeners of this process receive a message before `publish` returns, as on the bus within
 * one process. Other processes receive it when NATS delivers it. While NATS is away nothing is queued: a late hint is
 * useless, and the change feed has every change.
 */
export function createNatsBus(options: NatsBusOptions) {
  const { origin, tracer = null, seal, onFault } = options;
  const local = createInProcessBus(onFault);
  const link = openNatsLink({ ...options, receive });
  let unacknowledged = 0;
  let unsent = 0;

  function receive(bytes: Uint8Array): void {
    const envelope = parseEnvelope(bytes, seal);
    if (!envelope) {
      onFault(new TypeError('a message from NATS is malformed and was ignored'));
      return;
    }
    const { message, isSealed } = envelope;
    if (envelope.origin === origin) return;
    if (!isSealed) onFault(new TypeError(unsealed));
    else if (tracer)
      tracer.consume(envelope.traceparent, `process ${subjectOf(message)}`, () => local.publish(message));
    else local.publish(message);
  }

  async function send(subject: string, text: string): Promise<void> {
    const connection = link.connection();
    // The loss of the connection was already reported.
    if (!connection || unacknowledged >= unacknowledgedAtMost) return;
    unacknowledged++;
    try {
      await jetstream(connection, { timeout: publishTimeoutMs }).publish(subject, text, { retries: 1 });
      unsent = 0;
    } catch (error) {
      if (unsent++ === 0) onFault(error);
    } finally {
      unacknowledged--;
    }
  }

  return {
    publish(message) {
      local.publish(message);
      if (!parseBusMessage(message)) return;
      const subject = subjectOf(message);
      const span = tracer?.call('producer', `publish ${subject}`, { 'messaging.system': 'nats' }) ?? null;
      const trace = span && { traceparent: span.traceparent };
      void send(subject, formatEnvelope({ origin, message, ...trace }, seal)).then(() => span?.end());
    },
    subscribe: local.subscribe,
    state: () => (link.connection() ? 'up' : 'down'),
    close: () => link.close(),
  } satisfies Bus & { close(): Promise<void> };
}
