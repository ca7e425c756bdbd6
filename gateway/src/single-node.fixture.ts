import { openMasterKeyRing } from '@latchkey/key-derivation';
import { readSingleNodeConfig, type SingleNodeValues } from '@latchkey/shared/config';
import { migrate } from '@latchkey/shared/db';
import { type App, createHost } from '@latchkey/shared/http';
import { createInternalGate } from '@latchkey/shared/internal';
import { createReadiness, createShutdown } from '@latchkey/shared/lifecycle';
import type { RequestLog } from '@latchkey/shared/log';
import { createMetrics, type Metrics } from '@latchkey/shared/metrics';
import { createProcessBase, type ProcessBase, type ProcessContext } from '@latchkey/shared/process';
import { openRows, type Rows } from '@latchkey/shared/process/service-database';
import { createManualClock, type ManualClock } from '@latchkey/shared/testing';
import { onTestFinished } from 'vitest';
import { createGatewayHost } from './gateway-host.ts';
import { mountServices } from './single-node.ts';

export interface ProcessInTest {
  context: ProcessContext & { clock: ManualClock };
  /** An empty database in memory. */
  rows: Rows;
  values: SingleNodeValues;
  /** The warnings and errors so far, each as its level and its message. */
  logged: string[];
}

/** Opens the parts of a process that exist before its services are mounted. They end with the test. */
export async function openProcessInTest(
  options: {
    isSeparate?: boolean;
    env?: Record<string, string>;
    /** Makes the host; a bare one if it is left out. */
    openApp?: (base: ProcessBase & { metrics: Metrics }, values: SingleNodeValues) => Promise<App>;
  } = {},
): Promise<ProcessInTest> {
  const { values } = readSingleNodeConfig({
    AUTH_JWT_SECRET: '0123456789abcdef0123456789abcdef',
    MASTER_KEY_HEX: '01'.repeat(32),
    SALT_HEX: '02'.repeat(32),
    SQLITE_PATH: ':memory:',
    ...options.env,
  });
  const clock = createManualClock();
  const logged: string[] = [];
  const note = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
  const log = { info: () => {}, warn: note('warn'), error: note('error') };
  const shutdown = createShutdown(log);
  onTestFinished(() => shutdown.run());
  const base = createProcessBase({ clock, log, shutdown });
  const rows = await openRows('test', values, base);
  await migrate(rows.db);
  const metrics = createMetrics(clock);
  const app =
    (await options.openApp?.({ ...base, metrics }, values)) ??
    createHost({
      randomId: () => 'a request',
      clientIpOf: () => '127.0.0.1',
      requestLog: null,
      operatorLog: log,
      metrics,
    });
  if (options.isSeparate) createInternalGate(['the internal secret of tests, 32 bytes or more']).addTo(app);
  shutdown.add('the host', 1_000, () => app.close());
  const context = { ...base, clock, app, metrics, isSeparate: options.isSeparate ?? false };
  return { context, rows, values, logged };
}

/** The host of a single node, for `openApp`. */
export const openGateway =
  (requestLog: RequestLog) => (context: ProcessBase & { metrics: Metrics }, values: SingleNodeValues) =>
    createGatewayHost({
      ...{
        ...context,
        version: '0',
        values: { ...values, publicUrl: undefined, overloadDelayMs: 'off' },
        requestLog,
      },
      readiness: createReadiness(context.dependencies, context.clock, () => {}),
    });

/** Mounts all services on one process, as the single node does. */
export async function mountInTest({ context, rows, values }: ProcessInTest): Promise<void> {
  const readiness = createReadiness(context.dependencies, context.clock, () => {});
  const masterKeys = await openMasterKeyRing(values, context);
  await mountServices({ ...context, values, readiness }, { rows, masterKeys });
}
