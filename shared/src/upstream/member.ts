import { createRequire } from 'node:module';
import type { Pool } from 'undici';
import type { Clock } from '../clock/clock.ts';
import type { ServiceTls, TlsRefused } from '../tls/index.ts';
import { createHttpsConnector } from './https-connector.ts';
import { brokeBeforeAnswer } from './never-reached.ts';
import { phaseHeader } from './phase.ts';
import { openPlainPool, type PlainPool } from './plain-client/plain-pool.ts';

/**
 * `silent`: it refused a connection, broke it or kept a request waiting; other addresses come first. `gone`: a probe
 * found no listener, or had no answer for 2 s; no request is sent there until a probe is answered.
 */
type Liveness = 'alive' | 'silent' | 'gone';

/** Finds by `GET /health` whether a process is alive. */
interface LivenessProbe {
  life(): Liveness;
  /** A request got no answer: `silent` until a probe shows otherwise. */
  doubt(): void;
  /**
   * Probes the process. One probe runs at a time, and all callers share it.
   *
   * @returns whether it answered within 0.5 s. An answer within 2 s still counts for `life`
   */
  ask(): Promise<boolean>;
}

/**
 * Limits are counted in slices of this length. Each slice takes a turn of the event loop, in which a received answer is
 * read. So a process that was itself blocked for a second does not count other services as dead.
 */
const sliceMs = 100;
/** 0.5 s. The answer to `/health` takes a millisecond and needs no other service. */
const silentAfterSlices = 5;
/**
 * 2 s: a process that shares its core with many others is slow but alive. At the limit the connection is ended, and the
 * next probe opens another: after lost packets, TCP would retry the old one too late.
 */
const goneAfterSlices = 20;

/**
 * @param probe one request; rejects where there was no answer or the signal ended it
 * @param onChange notified when `life` has changed
 */
function createLivenessProbe(
  probe: (signal: AbortSignal) => Promise<void>,
  onChange: () => void,
): LivenessProbe {
  let life: Liveness = 'alive';
  let asked: Promise<boolean> | null = null;

  function become(next: Liveness): void {
    if (life === next) return;
    life = next;
    onChange();
  }

  /** A connection that was idle may break when it is used. That proves nothing, so a new one is tried. */
  const probeTwice = async (signal: AbortSignal) => {
    try {
      await probe(signal);
    } catch (error) {
      if (signal.aborted || !brokeBeforeAnswer(error)) throw error;
      await probe(signal);
    }
  };

  function start(): Promise<boolean> {
    const controller = new AbortController();
    return new Promise((resolve) => {
      let slices = 0;
      let timer = setTimeout(tick, sliceMs);
      timer.unref();
      function tick() {
        slices++;
        if (slices === silentAfterSlices) {
          if (life === 'alive') become('silent');
          resolve(false);
        }
        if (slices === goneAfterSlices) return controller.abort();
        timer = setTimeout(tick, sliceMs);
        timer.unref();
      }
      const end = (next: Liveness) => {
        clearTimeout(timer);
        asked = null;
        become(next);
        resolve(next === 'alive');
      };
      probeTwice(controller.signal).then(
        () => end('alive'),
        () => end('gone'),
      );
    });
  }

  return {
    life: () => life,
    doubt() {
      if (life === 'alive') become('silent');
    },
    ask() {
      asked ??= start();
      return asked;
    },
  };
}

/** Loads the client at the first address: a process that calls no other one saves 5 MB and 40 ms of its start. */
const loadModule = createRequire(import.meta.url);
/** How long an address that is starting or unsure gets no requests. Then one request tries it, and then the next. */
const unfitMs = 1_000;
/** Other services are near. One that has not accepted a connection by then is not running. */
const connectTimeoutMs = 1_000;
/**
 * Time limit of a probe. It is a timer of this process, which is late where it lacks processor time. With a shorter one,
 * a probe would end before its limit in turns of the event loop, and its address would count as gone.
 */
const probeConnectTimeoutMs = 2_000;
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

/** One address of another service. */
export interface Member {
  /** Such as `http://10.0.0.7:4101`. */
  readonly origin: string;
  /** Use it rarely without `occupy`: each such request takes one of a few spare connections. */
  readonly pool: Pool;
  /** For `GET` without a body: takes less time than `pool`. Null where it cannot be used. Use it after `occupy` only. */
  readonly plain: PlainPool | null;
  /** Whether a request can be sent there at once. */
  hasRoom(): boolean;
  /** A request is sent there. */
  occupy(): void;
  /** The request has ended, in any way. Call it once for each `occupy`. */
  release(): void;
  /** It refused a connection, broke it or kept a request waiting: other addresses come first until it answers a probe. */
  penalize(): void;
  /**
   * Takes the process's statement about itself (`phaseHeader`). An ending process counts as ending until a probe is
   * answered by one that is not: it is unknown how long the end takes, and requests to it may be lost.
   */
  notePhase(phase: unknown): void;
  /** Probes it, and penalizes it where it does not answer. Callers at the same time share the answer. */
  isAlive(): Promise<boolean>;
}

/** Health rank of an address; lower is better. No request is sent to one that is `gone`. */
export const healthRank = { healthy: 0, ending: 1, unfit: 2, silent: 3, gone: 4 } as const;

/** A member as its upstream sees it. */
export interface KnownMember extends Member {
  healthRank(): (typeof healthRank)[keyof typeof healthRank];
  /** Whether only a probe can show that requests may go there again. */
  needsProbe(): boolean;
  /** Why TLS there fails; null if the last connection was made, or failed for another reason. */
  tlsFault(): TlsRefused | null;
  /** A request is sent there. Where it is starting or unsure, that one tries it, and the others wait for its result. */
  noteRequest(): void;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

interface MemberOptions {
  origin: string;
  /** The host as it was configured, for TLS. */
  serverName: string;
  connections: number;
  clock: Clock;
  /** For an origin with TLS. */
  tls: ServiceTls;
  /** Called when a request has ended there, and when the address was lost or came back. */
  onChange: () => void;
}

/** @returns what undici calls or uses to connect, by the time limit */
function chooseConnect(
  { origin, serverName, tls }: MemberOptions,
  onResult: (fault: TlsRefused | null) => void,
) {
  return (timeoutMs: number) =>
    origin.startsWith('https:')
      ? createHttpsConnector({ serverName, timeoutMs, tls, onResult })
      : { timeout: timeoutMs };
}

export function openMember(options: MemberOptions): KnownMember {
  const { origin, connections, clock, onChange } = options;
  const { Client, Pool }: typeof import('undici') = loadModule('undici');
  let tlsFault: TlsRefused | null = null;
  const connectWithin = chooseConnect(options, (fault) => {
    tlsFault = fault;
  });
  const pool = new Pool(origin, {
    ...poolLimits,
    connections: connections + spareConnections,
    connect: connectWithin(connectTimeoutMs),
  });
  const plain = openPlainPool({ origin, clock, connectTimeoutMs, keepAliveMs, bodyTimeoutMs });
  // A separate connection: waiting requests may have taken all those of the pool.
  const prober = new Client(origin, { connect: connectWithin(probeConnectTimeoutMs) });
  const liveness = createLivenessProbe(async (signal) => {
    const { headers, body } = await prober.request({ method: 'GET', path: '/health', signal });
    await body.dump();
    isEnding = headers[phaseHeader] === 'ending';
  }, onChange);
  let occupied = 0;
  let isEnding = false;
  /** Null while it is healthy. */
  let unfitUntilMs: number | null = null;

  return {
    origin,
    pool,
    plain,
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
    tlsFault: () => tlsFault,
    needsProbe: () => isEnding || liveness.life() !== 'alive',
    noteRequest() {
      if (unfitUntilMs !== null) unfitUntilMs = clock.monotonic() + unfitMs;
    },
    async close() {
      plain?.close();
      await Promise.all([pool.close(), prober.close()]);
    },
    async destroy() {
      plain?.destroy();
      await Promise.all([pool.destroy(), prober.destroy()]);
    },
  };
}
