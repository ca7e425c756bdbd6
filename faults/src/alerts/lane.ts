import { findFreePort } from '@latchkey/rig/find-free-port';
import { type OwnPrometheus, startPrometheus } from '@latchkey/rig/prometheus/own-prometheus';
import { readRuleFiles } from '@latchkey/rig/prometheus/rules';
import { shortenRules } from '@latchkey/rig/prometheus/shorten-rules';
import type { Replicas, SettingsOf } from '@latchkey/rig/stack/distributed-profile';
import type { ProcessKind } from '@latchkey/rig/stack/topology';
import type { Checks } from '../checks.ts';
import type { Fault } from '../faults/fault.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { expectedAlerts } from './expected-alerts.ts';
import { startViewers, type Viewers } from './viewers.ts';
import { type Raised, waitCalm, watchAlerts } from './watch-alerts.ts';

/** Separate services under load, and the Prometheus that scrapes them. */
export interface Lane {
  stack: Stack;
  prometheus: OwnPrometheus;
  stop(): Promise<void>;
}

/** The faults speak of three replicas of key-derivation. */
const replicas = { auth: 1, content: 1, leases: 1, 'key-derivation': 3, playback: 1, gateway: 1 };
/** Between two scrapes: a window of the shortened rules has ten of them. */
const intervalMs = 500;
/** Longer than the shortened hold of any alert that a short fault must not raise. */
const leastSeconds = 12;

/** @param program Prometheus */
export async function startLane(program: string): Promise<Lane> {
  const { targets, moreEnv } = await placeMetrics(replicas);
  const stack = await startStack({ replicas, moreEnv });
  let prometheus: OwnPrometheus | null = null;
  let viewers: Viewers | null = null;
  const stop = async () => {
    await viewers?.stop();
    await prometheus?.stop();
    await stack.stop();
  };
  try {
    viewers = await startViewers(stack);
    // Prometheus starts after the first answers, so that what a start refuses is no fault to it.
    prometheus = await startPrometheus({
      program,
      targets,
      rules: shortenRules(readRuleFiles()),
      intervalMs,
    });
    await waitCalm(prometheus);
    return { stack, prometheus, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A port for the metrics of each process. */
async function placeMetrics(counts: Replicas) {
  const targets: { name: string; port: number }[] = [];
  const moreEnv: Record<string, { METRICS_PORT: string }> = {};
  for (const [kind, count] of Object.entries(counts)) {
    for (let number = 1; number <= count; number++) {
      const name = `${kind as ProcessKind}-${number}` as const;
      const port = await findFreePort();
      targets.push({ name, port });
      moreEnv[name] = { METRICS_PORT: String(port) };
    }
  }
  return { targets, moreEnv: moreEnv as SettingsOf };
}

/** Tries a fault, and checks that the alerts for it fire and end, and no others. */
export async function tryFault(fault: Fault, { stack, prometheus }: Lane, checks: Checks): Promise<Raised> {
  const { must, may = [] } = expectedAlerts[fault.name] ?? { must: [] };
  await waitCalm(prometheus);
  const raised = await watchAlerts({
    prometheus,
    expected: must,
    begin: () => fault.begin(stack),
    end: () => fault.end(stack),
    leastSeconds: Math.max(leastSeconds, fault.seconds),
  });
  const { fired, calmAfterSeconds } = raised;
  const missing = must.filter((name) => !fired.includes(name));
  const others = fired.filter((name) => !must.includes(name) && !may.includes(name));
  checks.check(`${fault.name}: its alerts fire`, missing.length === 0, `not fired: ${missing.join(', ')}`);
  checks.check(
    `${fault.name}: no other alert fires`,
    others.length === 0,
    `also fired: ${others.join(', ')}`,
  );
  checks.check(`${fault.name}: every alert ends after the repair`, calmAfterSeconds !== null);
  await stack.waitWhole();
  return raised;
}
