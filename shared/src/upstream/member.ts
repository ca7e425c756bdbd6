import { Client, Pool } from 'undici';
import type { Clock } from '../clock/index.ts';
import { createLivenessProbe } from './liveness.ts';
import { phaseHeader } from './phase.ts';

/** One that is starting or unsure, for so long; then one request tries it, and then the next. */
const unfitMs = 1_000;
/** A neighbour is near; one that does not take a connection by then is not there. */
const connectTimeoutMs = 1_000;
/**
 * The whole time of a probe. It is a timer of this process, which is late with everything where it is short of processor time: with
 * less, a probe would end before its limit in turns of the event loop, and its address would count as gone.
 */
const probeConnectTimeoutMs = 2_000;
/** For the head of an answer. Above the 4 s of a statement, below the patience of players. */
const headersTimeoutMs = 8_000;
/** The event stream beats every 15 s; whatever is silent for longer is broken. */
const bodyTimeoutMs = 40_000;
/** Shorter than the 72 s of the neighbour's server, so that no request meets a connection that is just being closed. */
const keepAliveMs = 30_000;
/** Connections beyond those for requests that are counted, for what is asked of each address beside them, such as `/ready`. */
const spareConnections = 4;

/** One address of a neighbour. */
export interface Member {
  /** Such as `http://10.0.0.7:4101`. */
  readonly origin: string;
  /** What is sent there without `occupy` has to be little: it takes one of a few spare connections. */
  readonly pool: Pool;
  /** Whether a request can be sent there at once. */
  hasRoom(): boolean;
  /** A request is sent there. */
  occupy(): void;
  /** It has ended, however it did. To be called once for each `occupy`. */
  release(): void;
  /** It took no connection, broke it or kept somebody waiting: the others first, until it gives a sign of life. */
  penalize(): void;
  /**
   * Takes what an answer says of its process (`phaseHeader`). One that is ending is believed until a probe is answered by one that
   * is not: nobody knows how long the end takes, and what meets it may be lost.
   */
  notePhase(phase: unknown): void;
  /** Asks it for a sign of life, and penalizes it where none comes. Those who ask at the same time share the answer. */
  isAlive(): Promise<boolean>;
}

/** Health rank of an address; lower is better. To one that is `gone` no request is sent. */
export const healthRank = { healthy: 0, ending: 1, unfit: 2, silent: 3, gone: 4 } as const;

/** A member as its upstream sees it. */
export interface KnownMember extends Member {
  healthRank(): (typeof healthRank)[keyof typeof healthRank];
  /** Whether only a probe can tell that requests may go there again. */
  needsProbe(): boolean;
  /** A request goes there. Where it is starting or unsure, that one tries it, and the others wait for what comes of it. */
  noteRequest(): void;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

export interface MemberOptions {
  origin: string;
  /** The host as it was configured, for TLS. */
  serverName: string;
  connections: number;
  clock: Clock;
  /** Notified when a request has ended there, and when the address was lost or came back. */
  onChange: () => void;
}

export function openMember(options: MemberOptions): KnownMember {
  const { origin, serverName, connections, clock, onChange } = options;
  const pool = new Pool(origin, {
    connections: connections + spareConnections,
    pipelining: 1,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    connect: { timeout: connectTimeoutMs, servername: serverName },
  });
  // A connection of its own: those of the pool may all be taken by requests that wait.
  const prober = new Client(origin, {
    connect: { timeout: probeConnectTimeoutMs, servername: serverName },
  });
  const liveness = createLivenessProbe(async (signal) => {
    const { headers, body } = await prober.request({ method: 'GET', path: '/health', signal });
    await body.dump();
    isEnding = headers[phaseHeader] === 'ending';
  }, onChange);
  let occupied = 0;
  let isEnding = false;
  /** Null while it is fit to answer. */
  let unfitUntilMs: number | null = null;

  return {
    origin,
    pool,
    hasRoom: () => occupied < connections,
    occupy() {
      occupied++;
    },
    release() {
      occupied--;
      onChange();
    },
    penalize: liveness.doubt,
    notePhase(phase) {
      if (phase === 'ending') isEnding = true;
      unfitUntilMs = phase === 'unsure' || phase === 'starting' ? clock.monotonic() + unfitMs : null;
    },
    isAlive: liveness.ask,
    healthRank() {
      const life = liveness.life();
      if (life !== 'alive') return healthRank[life];
      if (unfitUntilMs !== null && unfitUntilMs > clock.monotonic()) return healthRank.unfit;
      return isEnding ? healthRank.ending : healthRank.healthy;
    },
    needsProbe: () => isEnding || liveness.life() !== 'alive',
    noteRequest() {
      if (unfitUntilMs !== null) unfitUntilMs = clock.monotonic() + unfitMs;
    },
    close: async () => void (await Promise.all([pool.close(), prober.close()])),
    destroy: async () => void (await Promise.all([pool.destroy(), prober.destroy()])),
  };
}
