import type { Clock } from '../clock/index.ts';
import type { OperatorLog } from '../log/index.ts';

/**
 * Rejects a check whose dependency can be used for some of the work, or of which nothing is known: no reason to be not ready.
 */
export class Degraded extends Error {
  readonly facts: { status?: 'unknown' } & Record<string, unknown>;

  /** @param facts what is shown. The message and the cause are for the operator alone */
  constructor(message: string, facts: Degraded['facts'], options?: ErrorOptions) {
    super(message, options);
    this.facts = facts;
  }
}

/** A dependency answers by resolving; what it resolves to is shown, what it rejects with is not. */
export interface Dependency {
  name: string;
  check: () => Promise<Record<string, unknown> | undefined>;
  /** Shown, but no reason to be not ready: without it the process is slower, or still of use for what matters most. */
  optional?: boolean;
}

export interface ReadyReport {
  ready: boolean;
  dependencies: Record<string, { status: 'up' | 'degraded' | 'unknown' | 'down' } & Record<string, unknown>>;
}

export interface Readiness {
  report(): Promise<ReadyReport>;
  /**
   * Whether the last round of checks found that something is missing. Asks for another round where that one is old, and does not
   * wait for it.
   */
  lacksSomething(): boolean;
  /** What was found before no longer counts: the process has what it waited for. */
  lookAnew(): void;
  /** From now on not ready: the process is about to end. */
  drain(): void;
  isDraining(): boolean;
}

/** A probe that hangs is a dependency that is down. */
const checkTimeoutMs = 2_000;
/** Several probes a second share one round of checks. */
const reportHoldsMs = 500;
/** A process that nobody probes looks at itself once in this time, as long as neighbours ask it something. */
const ownLookEveryMs = 1_000;

/**
 * @param onFault hears why a dependency is down: once, and again where the reason is another one
 * @param onMended hears that one is up again
 */
export function createReadiness(
  dependencies: readonly Dependency[],
  clock: Clock,
  onFault: (dependency: string, error: unknown) => void,
  onMended: (dependency: string) => void = () => {},
): Readiness {
  let draining = false;
  let lacking = false;
  let found: ReadyReport['dependencies'] = {};
  /** The reasons of those that are down or degraded. */
  const down = new Map<string, string>();
  let last: { atMs: number; report: Promise<ReadyReport> } | null = null;

  async function checkOne({
    name,
    check,
  }: Dependency): Promise<[string, ReadyReport['dependencies'][string]]> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${checkTimeoutMs} ms`)), checkTimeoutMs);
    });
    try {
      const said = await Promise.race([check(), limit]);
      if (down.delete(name)) onMended(name);
      return [name, { status: 'up', ...said }];
    } catch (error) {
      if (down.get(name) !== String(error)) onFault(name, error);
      down.set(name, String(error));
      if (error instanceof Degraded) return [name, { status: 'degraded', ...error.facts }];
      return [name, { status: 'down' }];
    } finally {
      clearTimeout(timer);
    }
  }

  async function checkAll(): Promise<ReadyReport> {
    const results = await Promise.all(dependencies.map(checkOne));
    const ready = results.every(
      ([, { status }], index) => status !== 'down' || dependencies[index]?.optional === true,
    );
    lacking = !ready;
    found = Object.fromEntries(results);
    return { ready, dependencies: found };
  }

  function current(holdsMs: number): Promise<ReadyReport> {
    const nowMs = clock.monotonic();
    if (!last || nowMs - last.atMs > holdsMs) last = { atMs: nowMs, report: checkAll() };
    return last.report;
  }

  return {
    async report() {
      // Without a look at anything: on a busy machine that can take most of the drain, and load balancers have to know at once.
      if (!draining) {
        const report = await current(reportHoldsMs);
        if (!draining) return report;
      }
      return { ready: false, dependencies: { ...found, process: { status: 'down', draining } } };
    },
    lookAnew() {
      lacking = false;
      last = null;
    },
    lacksSomething() {
      void current(ownLookEveryMs);
      return lacking;
    },
    drain() {
      draining = true;
    },
    isDraining: () => draining,
  };
}

/** As `createReadiness`, and logs each dependency that is lost or comes back. */
export function createLoggedReadiness(
  dependencies: readonly Dependency[],
  clock: Clock,
  log: OperatorLog,
): Readiness {
  return createReadiness(
    dependencies,
    clock,
    (dependency, error) =>
      log.warn(`${error instanceof Degraded ? 'degraded' : 'not ready'}: ${dependency}`, { error }),
    (dependency) => log.info(`ready again: ${dependency}`),
  );
}
