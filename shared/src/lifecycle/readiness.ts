import type { Clock } from '../clock/clock.ts';
import type { OperatorLog } from '../log/index.ts';
import type { StartUp } from './start-up.ts';
import { withTimeLimit } from './time-limit.ts';

/**
 * Thrown by a check whose dependency works in part, or whose state is unknown: the process stays ready.
 */
export class Degraded extends Error {
  readonly facts: { status?: 'unknown' } & Record<string, unknown>;

  /** @param facts shown to every caller. The message and the cause are for the operator alone */
  constructor(message: string, facts: Degraded['facts'], options?: ErrorOptions) {
    super(message, options);
    this.facts = facts;
  }
}

/** A dependency is up where its check resolves. The resolved value is shown; a rejection is not. */
export interface Dependency {
  name: string;
  check: () => Promise<Record<string, unknown> | undefined>;
  /**
   * Shown without effect on readiness: without this dependency the process is slower, or still does its most important
   * work.
   */
  optional?: boolean;
  /** Milliseconds that a report waits for the check, before it shows the result of the one before. Default: 700. */
  reportWaitMs?: number;
}

/** The state of a dependency as `/ready` shows it. */
type Result = { status: 'up' | 'degraded' | 'unknown' | 'down' } & Record<string, unknown>;

/** An error may say a part of its reason that names no address, file or secret (`publicReason`). */
function publicReasonOf(error: unknown): { reason?: string } {
  if (!(error instanceof Error && 'publicReason' in error && typeof error.publicReason === 'string'))
    return {};
  return { reason: error.publicReason };
}

export interface ReadyReport {
  ready: boolean;
  dependencies: Record<string, Result>;
}

/** A check that does not return in time counts as a dependency that is down. */
export const checkTimeoutMs = 2_000;
/**
 * Below the 900 ms that the gateway waits: while the database hangs, it would show every service as down, and the database as unknown.
 * Above the 600 ms after which a hanging write is known.
 */
const usualReportWaitMs = 700;
/** Several probes within a second share one round of checks. */
const reportHoldsMs = 500;
/** Without probes, a process checks itself once in this time while other services call it. */
const ownLookEveryMs = 1_000;

export type Readiness = ReturnType<typeof createReadiness>;

/**
 * @param onFault called with the reason why a dependency is down: once, and again for another reason. If it returns false, it did
 *   not report the reason, and gets it again in the next round
 * @param onMended called when a dependency is up again whose loss was reported
 */
export function createReadiness(
  dependencies: readonly Dependency[],
  clock: Clock,
  onFault: (dependency: string, error: unknown) => unknown,
  onMended: (dependency: string) => void = () => {},
) {
  let draining = false;
  let lacking = false;
  let found: ReadyReport['dependencies'] = {};
  /** By dependency: a process adds some while it starts. */
  const followed = new Map<Dependency, ReturnType<typeof followChecks>>();
  let last: { atMs: number; report: Promise<ReadyReport> } | null = null;

  function checksOf(dependency: Dependency) {
    const known = followed.get(dependency) ?? followChecks(dependency, onFault, onMended);
    followed.set(dependency, known);
    return known;
  }

  async function checkAll(): Promise<ReadyReport> {
    const results = await Promise.all(
      dependencies.map(async (dependency) => ({ dependency, result: await checksOf(dependency).read() })),
    );
    const ready = results.every(
      ({ dependency, result }) => result.status !== 'down' || dependency.optional === true,
    );
    lacking = !ready;
    found = Object.fromEntries(results.map(({ dependency, result }) => [dependency.name, result]));
    return { ready, dependencies: found };
  }

  function current(holdsMs: number): Promise<ReadyReport> {
    const nowMs = clock.monotonic();
    if (!last || nowMs - last.atMs > holdsMs) last = { atMs: nowMs, report: checkAll() };
    return last.report;
  }

  return {
    /** @param holdsMs the greatest age of checks whose results may be reported again */
    async report(holdsMs = reportHoldsMs): Promise<ReadyReport> {
      // Without a check: on a busy machine that can take most of the drain, and load balancers have to know at once.
      if (!draining) {
        const report = await current(holdsMs);
        if (!draining) return report;
      }
      return { ready: false, dependencies: { ...found, process: { status: 'down', draining } } };
    },
    /** Discards earlier results: the process has got what it waited for. */
    discardResults(): void {
      for (const { discard } of followed.values()) discard();
      lacking = false;
      last = null;
    },
    /**
     * Whether the last round of checks found something missing. Starts another round if that one is old, without waiting
     * for it.
     */
    lacksSomething(): boolean {
      void current(ownLookEveryMs);
      return lacking;
    },
    /** Reports not ready from now on: the process is about to end. */
    drain(): void {
      draining = true;
    },
    isDraining: () => draining,
  };
}

/** Checks one dependency, one check at a time, and keeps the result of the last one that ended. */
function followChecks(
  { name, check, reportWaitMs = usualReportWaitMs }: Dependency,
  onFault: (dependency: string, error: unknown) => unknown,
  onMended: (dependency: string) => void,
) {
  let last: Result | null = null;
  let running: Promise<Result> | null = null;
  /** The reported reason why it is down or degraded. */
  let reason: string | null = null;

  async function run(): Promise<Result> {
    try {
      const facts = await withTimeLimit(checkTimeoutMs, check());
      if (reason !== null) onMended(name);
      reason = null;
      return { status: 'up', ...facts };
    } catch (error) {
      if (reason !== String(error) && onFault(name, error) !== false) reason = String(error);
      if (error instanceof Degraded) return { status: 'degraded', ...error.facts };
      return { status: 'down', ...publicReasonOf(error) };
    }
  }

  function begin(): Promise<Result> {
    const begun: Promise<Result> = run().then((result) => {
      // Another one runs since the results were discarded.
      if (running !== begun) return result;
      last = result;
      running = null;
      return result;
    });
    running = begun;
    return begun;
  }

  return {
    /** The result of a check that ends in time, else of the last one that ended. The first one is waited for. */
    async read(): Promise<Result> {
      const present = running ?? begin();
      return last === null ? present : withTimeLimit(reportWaitMs, present).catch(() => last ?? present);
    },
    discard(): void {
      last = null;
      running = null;
    },
  };
}

/** The names of the dependencies that are not up. */
function listMissing({ dependencies }: ReadyReport): string[] {
  return Object.entries(dependencies).flatMap(([name, { status }]) => (status === 'up' ? [] : [name]));
}

interface LoggedReadinessOptions {
  clock: Clock;
  log: OperatorLog;
  /** Ends once everything is up. */
  startUp: StartUp;
}

/** As `createReadiness`, and logs each dependency that is lost or comes back. */
export function createLoggedReadiness(
  dependencies: readonly Dependency[],
  { clock, log, startUp }: LoggedReadinessOptions,
): Readiness {
  const readiness = createReadiness(
    dependencies,
    clock,
    (dependency, error) => {
      if (startUp.excuses(error)) return false;
      log.warn(`${error instanceof Degraded ? 'degraded' : 'not ready'}: ${dependency}`, { error });
      return true;
    },
    (dependency) => log.info(`ready again: ${dependency}`),
  );
  return {
    ...readiness,
    async report(holdsMs?: number): Promise<ReadyReport> {
      const report = await readiness.report(holdsMs);
      if (listMissing(report).length === 0) startUp.end();
      return report;
    },
  };
}

const lookEveryMs = 1_000;

/**
 * Looks once a second until the start-up is over, so that a process without probes knows it too. Logs once what the process waits
 * for, unless a second is enough.
 */
export function watchStartUp(startUp: StartUp, readiness: Readiness, log: OperatorLog): void {
  let waits = false;
  const look = async () => {
    if (readiness.isDraining()) return;
    // Before the report: the last one of the minute logs what is missing as lost.
    const wasOver = startUp.isOver();
    const missing = listMissing(await readiness.report());
    if (missing.length === 0) {
      if (waits) log.info('everything that this process waited for is up');
    } else if (!wasOver) {
      if (!waits) log.info(`waits for: ${missing.join(', ')}. Warnings follow after a minute`);
      waits = true;
      lookLater();
    }
  };
  const lookLater = () => void setTimeout(() => void look(), lookEveryMs).unref();
  lookLater();
}
