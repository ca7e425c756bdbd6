import type { Clock } from '../clock/index.ts';

/** A dependency answers by resolving; what it resolves to is shown, what it rejects with is not. */
export interface Dependency {
  name: string;
  check: () => Promise<Record<string, unknown> | undefined>;
  /** Shown, but no reason to be not ready: without it the process is slower, or still of use for what matters most. */
  optional?: boolean;
}

export interface ReadyReport {
  ready: boolean;
  dependencies: Record<string, { status: 'up' | 'down' } & Record<string, unknown>>;
}

export interface Readiness {
  report(): Promise<ReadyReport>;
  /** From now on not ready: the process is about to end. */
  drain(): void;
  isDraining(): boolean;
}

/** A probe that hangs is a dependency that is down. */
const checkTimeoutMs = 2_000;
/** Several probes a second share one round of checks. */
const reportHoldsMs = 500;

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
  /** The reasons of those that are down. */
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
      return [name, { status: 'down' }];
    } finally {
      clearTimeout(timer);
    }
  }

  async function checkAll(): Promise<ReadyReport> {
    const results = await Promise.all(dependencies.map(checkOne));
    return {
      ready: results.every(
        ([, { status }], index) => status === 'up' || dependencies[index]?.optional === true,
      ),
      dependencies: Object.fromEntries(results),
    };
  }

  return {
    async report() {
      const nowMs = clock.monotonic();
      if (!last || nowMs - last.atMs > reportHoldsMs) last = { atMs: nowMs, report: checkAll() };
      const { ready, dependencies: states } = await last.report;
      return draining
        ? { ready: false, dependencies: { ...states, process: { status: 'down', draining } } }
        : { ready, dependencies: states };
    },
    drain() {
      draining = true;
    },
    isDraining: () => draining,
  };
}
