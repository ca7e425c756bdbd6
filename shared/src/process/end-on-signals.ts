import thisProcess from 'node:process';
import { endByForce, type Shutdown } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';

/** A terminal's Ctrl-C can arrive twice, from the terminal and from npm. A person's second one comes later than this. */
const echoMs = 500;

/**
 * For the shutdown after the drain. Each phase has a limit, together some 25 s, so only a blocked main thread needs
 * longer. Kubernetes kills after 30 s, drain included, and Docker after 10.
 */
const shutdownLimitMs = 30_000;

const hangupMessage =
  'SIGHUP: nothing is read again, and the process serves on. To change a variable or its file, start the process again: docs/operate/rotation.md';

interface EndOptions {
  process: NodeJS.Process;
  /** Reports not ready from now on. */
  drain: () => void;
  shutdown: Shutdown;
  log: OperatorLog;
  drainSeconds: number;
}

/**
 * Ends the process in order: not ready, serve on for a while so that load balancers stop sending requests, close. Ctrl-C
 * has no load balancer and does not wait, nor has a closed terminal; a second signal ends at once. The process always ends, by
 * force if its shutdown does not finish. Elsewhere SIGHUP changes nothing: scripts send it to have files read again.
 */
export function endOnSignals(options: EndOptions): void {
  const { process, drain, shutdown, log, drainSeconds } = options;
  let firstAtMs: number | null = null;

  const end = async (signal: string, waitSeconds: number) => {
    if (firstAtMs !== null) {
      if (performance.now() - firstAtMs > echoMs) process.exit(1);
      return;
    }
    firstAtMs = performance.now();
    // A test passes a simulated process; the real one must survive.
    if (process === thisProcess) endByForce(waitSeconds * 1_000 + shutdownLimitMs);
    drain();
    log.info(
      waitSeconds > 0
        ? `${signal}: serving on for ${waitSeconds} s, not ready; then closing`
        : `${signal}: closing`,
    );
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
    await shutdown.run();
    process.exit(0);
  };

  process.on('SIGTERM', () => void end('SIGTERM', drainSeconds));
  process.on('SIGINT', () => void end('SIGINT', 0));
  process.on('SIGHUP', () => {
    if (isAtTerminal(process)) void end('SIGHUP', 0);
    else log.warn(hangupMessage);
  });
  // The parent process is gone; without this, nothing would stop the server.
  process.on('disconnect', () => void end('the starting process ended', 0));
}

/**
 * Whether a closed terminal may be the reason of SIGHUP. It never is for the first process of a container, which Docker would not
 * start again after `docker kill`, whatever its restart policy is.
 */
function isAtTerminal({ pid, stdin, stdout, stderr }: NodeJS.Process): boolean {
  return pid !== 1 && [stdin, stdout, stderr].some(({ isTTY }) => isTTY);
}
