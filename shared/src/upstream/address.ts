import { createRequire } from 'node:module';
import type { Client, Pool } from 'undici';
import type { ServiceTls, TlsRefused } from '../tls/index.ts';
import { tookNoConnection } from './failures.ts';
import { createHttpsConnector } from './https-connector.ts';
import { phaseHeader } from './phase.ts';

/** Loads the client at the first address: a process that calls no other one saves 5 MB and 40 ms of its start. */
const loadModule = createRequire(import.meta.url);
/** How long an address that failed gets no requests while there is another. */
const avoidedMs = 1_000;
/** For the answer to `/health`, which takes a millisecond and needs no other service. A process that shares its core is slow but alive. */
const aliveWithinMs = 2_000;
/** Other services are near. One that has not accepted a connection by then is not running. */
const connectTimeoutMs = 1_000;
/** For the head of an answer. Above the 4 s of a statement, below the time that players wait. */
const headersTimeoutMs = 8_000;
/** The event stream sends a beat every 15 s; a longer silence means that it is broken. */
const bodyTimeoutMs = 40_000;
/** Shorter than the 72 s of the other service's server, so that no request meets a connection that is just being closed. */
const keepAliveMs = 30_000;
/** Connections beyond those for counted requests, for calls to each address such as `/ready`. */
const spareConnections = 4;

const poolLimits = {
  pipelining: 1,
  headersTimeout: headersTimeoutMs,
  bodyTimeout: bodyTimeoutMs,
  keepAliveTimeout: keepAliveMs,
  keepAliveMaxTimeout: keepAliveMs,
} as const;

interface AddressOptions {
  origin: string;
  /** The host as it was configured, for TLS. */
  serverName: string;
  /** Requests there at a time, each on a connection of its own. */
  connections: number;
  /** For an origin with TLS. */
  tls: ServiceTls;
  /** Called when a request has ended there, and when the address was lost or came back. */
  onChange: () => void;
}

/**
 * One address of another service.
 *
 * After a failure it is out of the rotation for a second, and until `/health` answers without a phase. It is lost while it takes no
 * connection, or leaves `/health` unanswered for 2 s. No request is sent to a lost address, so that thousands of viewers who go on asking
 * cannot keep its process from returning.
 */
export class Address {
  /** Such as `http://10.0.0.7:4101`. */
  readonly origin: string;
  /** Use it rarely without `occupy`: each such request takes one of a few spare connections. */
  readonly pool: Pool;
  isInRotation = true;
  isLost = false;
  /** Number of heads of answers so far. While it grows, the process is alive, and a request that waits is a slow one. */
  answers = 0;
  /** Whether an answer has repeated the id of its request. No proxy changes the ids then, so each answer must. */
  repeatsIds = false;
  /** Why TLS there fails; null if the last connection was made, or failed for another reason. */
  tlsFault: TlsRefused | null = null;
  readonly #options: AddressOptions;
  readonly #undici: typeof import('undici') = loadModule('undici');
  #occupied = 0;
  #isClosed = false;
  #prober: Client | null = null;

  constructor(options: AddressOptions) {
    const { origin, connections } = options;
    this.#options = options;
    this.origin = origin;
    this.pool = new this.#undici.Pool(origin, {
      ...poolLimits,
      connections: connections + spareConnections,
      connect: this.#connectWithin(connectTimeoutMs),
    });
  }

  /** Whether a request can be sent there at once. */
  hasRoom(): boolean {
    return this.#occupied < this.#options.connections;
  }

  /** A request is sent there. */
  occupy(): void {
    this.#occupied++;
  }

  /** The request has ended, in any way. Call it once for each `occupy`. */
  release(): void {
    this.#occupied--;
    this.#options.onChange();
  }

  /**
   * Takes it out of the rotation.
   *
   * @param cause why. If no connection was made, no request is sent there until it answers
   */
  avoid(cause?: unknown): void {
    if (tookNoConnection(cause)) this.#setLost(true);
    if (!this.isInRotation) return;
    this.isInRotation = false;
    void this.#watch();
  }

  /** Ends the connections after their requests. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.pool.close(), this.#prober?.destroy()]);
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.pool.destroy(), this.#prober?.destroy()]);
  }

  #setLost(isLost: boolean): void {
    if (this.isLost === isLost) return;
    this.isLost = isLost;
    this.#options.onChange();
  }

  /** Probes it until it can be used. At least a second, because a process that answers `/health` may be slow with all else. */
  async #watch(): Promise<void> {
    for (;;) {
      const pause = new Promise((resolve) => void setTimeout(resolve, avoidedMs).unref());
      const { isAlive, phase } = await this.#probe();
      if (this.#isClosed) return;
      this.#setLost(!isAlive);
      await pause;
      if (isAlive && phase === undefined) break;
    }
    this.isInRotation = true;
    this.#options.onChange();
  }

  /** On a connection of its own: connections of the pool may be in use, or end at a machine that is gone. */
  async #probe(): Promise<{ isAlive: boolean; phase?: unknown }> {
    const client = new this.#undici.Client(this.origin, { connect: this.#connectWithin(aliveWithinMs) });
    this.#prober = client;
    // An answer that has come while this process was busy is read before it counts as missing.
    const limit = setTimeout(() => setImmediate(() => void client.destroy()), aliveWithinMs);
    limit.unref();
    try {
      const { headers, body } = await client.request({ method: 'GET', path: '/health' });
      await body.dump();
      return { isAlive: true, phase: headers[phaseHeader] };
    } catch {
      return { isAlive: false };
    } finally {
      clearTimeout(limit);
      await client.destroy();
    }
  }

  /** @returns what undici calls or uses to connect */
  #connectWithin(timeoutMs: number) {
    const { origin, serverName, tls } = this.#options;
    if (!origin.startsWith('https:')) return { timeout: timeoutMs };
    const onResult = (fault: TlsRefused | null) => {
      this.tlsFault = fault;
    };
    return createHttpsConnector(this.#undici.buildConnector, { serverName, timeoutMs, tls, onResult });
  }
}
