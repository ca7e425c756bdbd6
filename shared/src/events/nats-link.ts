import type { ConsumerMessages } from '@nats-io/jetstream';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { openConsumer } from './nats-stream.ts';

/** A server that is up answers in a few milliseconds. */
const answerTimeoutMs = 2_000;
const retryEveryMs = 250;
/** Two unanswered pings: a connection whose other end vanished without closing it is noticed within 6 s. */
const pingEveryMs = 2_000;
const pingsUnanswered = 2;
/** The shortest wait that a pull allows. The pull is repeated, and a consumer that is gone is noticed after two of them. */
const pullEveryMs = 1_000;

interface NatsLinkOptions {
  /** `nats://` or `tls://`, several separated by commas, with user and password or a token where they are needed. */
  url: string;
  /** The client name that the server shows for this connection. */
  name: string;
  receive: (bytes: Uint8Array) => void;
  /** Called when the link was lost or cannot be made, once each time. */
  onFault: (error: unknown) => void;
}

/** A NATS connection that consumes the stream and always reconnects. */
interface NatsLink {
  /** The connection while the stream is being consumed; null at other times. */
  connection(): NatsConnection | null;
  close(): Promise<void>;
}

export function openNatsLink({ url, name, receive, onFault }: NatsLinkOptions): NatsLink {
  const ending = new AbortController();
  let consumed: NatsConnection | null = null;
  let reported = false;

  function report(error: unknown): void {
    if (!reported && !ending.signal.aborted) onFault(error);
    reported = true;
  }

  /** Consumes the stream until the connection is lost, the consumer fails or the link is closed. */
  async function listen(connection: NatsConnection): Promise<void> {
    const consumer = await openConsumer(connection, answerTimeoutMs);
    const messages = await consumer.consume({ expires: pullEveryMs, abort_on_missing_resource: true });
    const stop = () => messages.stop();
    ending.signal.addEventListener('abort', stop);
    try {
      watchConnection(connection, messages);
      consumed = connection;
      reported = false;
      for await (const message of messages) receive(message.data);
    } finally {
      consumed = null;
      ending.signal.removeEventListener('abort', stop);
      messages.stop();
      await consumer.delete().catch(() => {});
    }
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      let connection: NatsConnection | null = null;
      try {
        connection = await connect(connectionOptions(url, name));
        await listen(connection);
        report(new Error('the connection to NATS was lost'));
      } catch (error) {
        report(error);
      }
      await connection?.close().catch(() => {});
      await pause(retryEveryMs, ending.signal);
    }
  }

  const running = run();
  return {
    connection: () => consumed,
    close() {
      ending.abort();
      return running;
    },
  };
}

/** A lost connection is not repaired but replaced, so that there is only one way to start, stream included. */
function watchConnection(connection: NatsConnection, messages: ConsumerMessages): void {
  void connection.closed().then(() => messages.stop());
}

/** @throws TypeError where the text is not a URL */
function connectionOptions(url: string, name: string): ConnectionOptions {
  const servers = url.split(',').map((part) => new URL(part.trim()));
  const { username, password } = servers[0] ?? { username: '', password: '' };
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  return {
    servers: servers.map(({ host }) => host),
    name,
    timeout: answerTimeoutMs,
    reconnect: false,
    pingInterval: pingEveryMs,
    maxPingOut: pingsUnanswered,
    ...(servers.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
