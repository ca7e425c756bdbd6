import { Registry } from 'prom-client';
import type { Clock } from '../clock/clock.ts';
import type { App } from '../http/index.ts';
import {
  createJobs,
  createStartUp,
  type Dependency,
  type Jobs,
  type Shutdown,
  type StartUp,
} from '../lifecycle/index.ts';
import { createRepeatedWarnings, type OperatorLog } from '../log/index.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { TlsFiles } from '../tls/index.ts';
import type { Tracer } from '../traces/index.ts';
import { exportCertificates } from './export-gauges.ts';

/** The parts that a process has from its start on, before it listens or knows its routes. */
export interface ProcessBase {
  clock: Clock;
  log: OperatorLog;
  /** For what may fail again and again: the same reason is logged once a minute. Nothing is logged while the start-up excuses it. */
  warn: (message: string, error: unknown) => void;
  startUp: StartUp;
  jobs: Jobs;
  shutdown: Shutdown;
  /** The dependencies that `/ready` checks. Each part of the process adds its own. */
  dependencies: Dependency[];
  /** Null if traces are off. */
  tracer: Tracer | null;
  /** The metrics that `/metrics` shows. Each part of the process adds its own (`addGauge`). */
  registry: Registry;
  /** The files for TLS between the processes of the distributed profile. Null: they speak without TLS, or verify by the machine's CAs. */
  internalTls: TlsFiles | null;
  /** The files for TLS of every connection, for the metrics of their expiry. */
  tlsFiles: TlsFiles[];
}

/** The context that a process gives to each of its parts. */
export interface ProcessContext extends ProcessBase {
  app: App;
  metrics: Metrics;
  /**
   * Whether each service is a process of its own, behind the gateway. The single node has no internal routes and no internal
   * headers: nothing in front of it would keep clients from them.
   */
  isSeparate: boolean;
}

export function createProcessBase(parts: Pick<ProcessBase, 'clock' | 'log' | 'shutdown'>): ProcessBase {
  const startUp = createStartUp(parts.clock);
  const repeated = createRepeatedWarnings(parts.log, parts.clock);
  const warn: ProcessBase['warn'] = (message, error) => {
    if (!startUp.excuses(error)) repeated(message, error);
  };
  const registry = new Registry();
  const tlsFiles: TlsFiles[] = [];
  exportCertificates(registry, tlsFiles);
  return {
    ...parts,
    warn,
    startUp,
    jobs: createJobs(warn),
    dependencies: [],
    tracer: null,
    registry,
    internalTls: null,
    tlsFiles,
  };
}
