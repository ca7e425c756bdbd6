// One worker of a single node with LATCHKEY_WORKERS above 1. The parent starts it (`worker-pool.ts`), and it ends with the parent.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createSystemClock } from '@latchkey/shared/clock';
import { createShutdown } from '@latchkey/shared/lifecycle';
import {
  createHidePersons,
  createOperatorLog,
  createRequestLog,
  createStderrWriter,
  identifyProcess,
} from '@latchkey/shared/log';
import { explainAndExit } from '@latchkey/shared/process';
import packageJson from '../../package.json' with { type: 'json' };
import { readNodeConfiguration } from '../single-node-first-run.ts';
import { connectParent } from './parent-connection.ts';
import { startWorker } from './start-worker.ts';

async function main(): Promise<void> {
  const parent = connectParent(process);
  const task = await parent.task;
  // The parent has kept every secret that was missing, so nothing is made here. It has logged the warnings, too.
  const { values, made } = readNodeConfiguration(process.env, randomBytes);
  // With a secret of its own it would refuse the tokens that the others accept.
  if (Object.keys(made).length > 0) throw new SecretsGone(Object.keys(made));
  const identity = identifyProcess('single-node', packageJson.version, {
    host: hostname(),
    pid: process.pid,
  });
  const log = createOperatorLog({
    level: values.logLevel,
    format: task.logFormat,
    write: createStderrWriter(process.stderr),
    identity,
  });
  const shutdown = createShutdown(log);
  const requestLog = createRequestLog(values.logLevel, task.logFd ?? process.stdout.fd, {
    identity,
    hidePersons: createHidePersons({ clientIp: values.logClientIp, viewerId: values.logViewerId }),
    processes: task.logFd === null ? 1 : task.count,
  });
  shutdown.add('the last log lines', 1_000, () => requestLog.flush());
  try {
    const { drain, sendTotals } = await startWorker({
      values,
      task,
      parent,
      clock: createSystemClock(),
      log,
      requestLog,
      shutdown,
    });
    parent.onDrain(drain);
    parent.onEnd(async (drainMs) => {
      drain();
      await pause(drainMs);
      await shutdown.run();
      await parent.drainChannel();
      await sendTotals();
      process.exit(0);
    });
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** The file of the first run's secrets is gone while the server runs. */
class SecretsGone extends Error {
  readonly forOperator = true;

  constructor(names: readonly string[]) {
    super(
      `${names.join(', ')} cannot be found any more. Put latchkey.env back beside the database. Workers that run go on.`,
    );
  }
}

// Ctrl-C in a terminal reaches every process. The parent decides when a worker ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
main().catch((error) => explainAndExit(error, process, process.env));
