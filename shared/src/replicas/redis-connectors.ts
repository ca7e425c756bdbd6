import { connect as connectTls } from 'node:tls';
import type { RedisOptions } from 'ioredis';

type Library = typeof import('ioredis');
type Connector = NonNullable<RedisOptions['Connector']>;

/**
 * Connects by TLS. The library's own connector listens to the first error of a socket alone. A refused handshake may have a second one, the alert
 * of the other side, which would end the process.
 */
export function createTlsConnector({ AbstractConnector }: Library): Connector {
  return class TlsConnector extends AbstractConnector {
    readonly #options: RedisOptions;

    constructor(options: RedisOptions) {
      super(options.disconnectTimeout ?? 0);
      this.#options = options;
    }

    override async connect() {
      const { host, port, family, tls } = this.#options;
      this.connecting = true;
      delete this.firstError;
      // As in the library: the caller may disconnect before there is a socket.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      if (!this.connecting) throw new Error('Connection is closed.');
      const socket = connectTls({
        host: host ?? 'localhost',
        port: port ?? 6379,
        ...(family === undefined ? {} : { family }),
        ...tls,
      });
      socket.on('error', (error) => {
        this.firstError ??= error;
      });
      this.stream = socket;
      return socket;
    }
  } as unknown as Connector;
}

/** The parts of the library's class that its types do not show. */
type SentinelBase = new (
  options: RedisOptions,
) => {
  connect(emit: unknown): Promise<NodeJS.EventEmitter>;
  connectToSentinel(endpoint: object, options?: object): NodeJS.EventEmitter;
};

/** Same for Sentinels, and for the primary that they name. */
export function createTlsSentinelConnector(library: Library): Connector {
  const Base = library.SentinelConnector as unknown as SentinelBase;
  const toSentinels = createTlsConnector(library);
  return class TlsSentinelConnector extends Base {
    override async connect(emit: unknown) {
      const socket = await super.connect(emit);
      socket.on('error', () => {});
      return socket;
    }

    override connectToSentinel(endpoint: object, options?: object) {
      const client = super.connectToSentinel(endpoint, { ...options, Connector: toSentinels });
      // Without a listener, ioredis writes to the console. The outage of Redis itself is reported.
      client.on('error', () => {});
      return client;
    }
  } as unknown as Connector;
}
