import { setTimeout } from 'node:timers/promises';
import type { ConsumerMessages } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { explainTlsFault, type TlsSubject } from '../tls/index.ts';
import { createNatsServers, type NatsAccess } from './nats-servers.ts';
import { openConsumer } from './nats-stream.ts';

/** A server that is up answers in a few milliseconds. */
const answerTimeoutMs = 2_000;
const retryEveryMs = 250;
/** Two unanswered pings: a connection whose other end vanished without closing it is noticed within 6 s. */
const pingEveryMs = 2_000;
const pingsUnanswered = 2;
/** The shortest wait that a pull allows. The pull is repeated, and a consumer that is gone is noticed after two of them. */
const pullEveryMs = 1_000;

const connectionOptions = {
  timeout: answerTimeoutMs,
  reconnect: false,
  ignoreClusterUpdates: true,
  pingInterval: pingEveryMs,
  maxPingOut: pingsUnanswered,
};

export interface NatsLinkOptions {
  /** `NATS_URL` */
  url: string;
  /** Optional. Default: the access that the URL names. */
  access?: NatsAccess | undefined;
  /** Random, so that processes spread over the servers of a cluster. */
  origin: string;
  /** The client name that the server shows for this connection. */
  name: string;
  receive: (bytes: Uint8Array) => void;
  /** Called when the link was lost or cannot be made, once each time. */
  onFault: (error: unknown) => void;
}

/** A NATS connection that consumes the stream and always reconnects. */
export function openNatsLink(options: NatsLinkOptions) {
  const { name, receive, onFault } = options;
  const servers = createNatsServers(options.url, options.origin, options.access);
  const ending = new AbortController();
  const loss = createLossReport(servers.subject, onFault);
  const report = (error: unknown) => {
    if (!ending.signal.aborted) loss.report(error);
  };
  let consumed: NatsConnection | null = null;
  /** Servers in a row that could not be used. */
  let failures = 0;

  /** Consumes the stream until the connection is lost, the consumer fails or the link is closed. */
  async function listen(connection: NatsConnection, onUse: () => void): Promise<void> {
    const consumer = await openConsumer(connection, answerTimeoutMs, servers.copies);
    const messages = await consumer.consume({ expires: pullEveryMs, abort_on_missing_resource: true });
    const stop = () => messages.stop();
    ending.signal.addEventListener('abort', stop);
    try {
      watchConnection(connection, messages, servers.count > 1);
      consumed = connection;
      loss.end();
      onUse();
      for await (const message of messages) receive(message.data);
    } finally {
      consumed = null;
      ending.signal.removeEventListener('abort', stop);
      messages.stop();
      await consumer.delete().catch(() => {});
    }
  }

  /** @returns whether the connection could be used */
  async function useNext(): Promise<boolean> {
    let connection: NatsConnection | null = null;
    let wasUsed = false;
    try {
      connection = await connect({ ...servers.next(), ...connectionOptions, name });
      await listen(connection, () => {
        wasUsed = true;
      });
      report(new Error('the connection to NATS was lost'));
    } catch (error) {
      failures++;
      // While another server of the cluster can be used, the loss of one is not the loss of NATS.
      if (wasUsed || failures >= servers.count) report(error);
    }
    await connection?.close().catch(() => {});
    return wasUsed;
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      if (await useNext()) failures = 0;
      if (failures === 0 || failures % servers.count === 0)
        await setTimeout(retryEveryMs, null, { signal: ending.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    /** The connection while the stream is being consumed; null at other times. */
    connection: () => consumed,
    close(): Promise<void> {
      ending.abort();
      return running;
    },
  };
}

/** Reports each loss of NATS once, and the certificate that is the reason, if one is. */
function createLossReport(subject: TlsSubject, onFault: (error: unknown) => void) {
  let isReported = false;
  let isExplained = false;
  return {
    report(error: unknown): void {
      const explained = explainTlsFault(error, subject);
      // A reset may come before the alert that says why, and the operator needs the reason.
      if (!isReported || (explained && !isExplained)) onFault(explained ?? error);
      isReported = true;
      isExplained ||= Boolean(explained);
    },
    end(): void {
      isReported = false;
      isExplained = false;
    },
  };
}

/** A lost connection is not repaired but replaced, so that there is only one way to start, stream included. */
function watchConnection(connection: NatsConnection, messages: ConsumerMessages, isCluster: boolean): void {
  void connection.closed().then(() => messages.stop());
  if (isCluster) stopWhenSilent(messages).catch(() => messages.stop());
}

/**
 * In a cluster the consumer may be lost with another server than the one of this connection. The library looks for it there again and
 * again. A second without a sign of life is enough: a new connection takes less.
 */
async function stopWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop();
}
