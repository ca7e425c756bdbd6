import { findFreePort } from '@latchkey/support/find-free-port';
import { type OwnPrometheus, startPrometheus } from '@latchkey/support/prometheus/own-prometheus';
import { readRuleFiles } from '@latchkey/support/prometheus/rules';
import { shortenRules } from '@latchkey/support/prometheus/shorten-rules';
import type { Replicas, SettingsOf } from '@latchkey/support/stack/distributed-profile';
import type { ProcessKind } from '@latchkey/support/stack/topology';
import { type Stack, startStack } from '../stack/stack.ts';
import { startViewers, type Viewers } from './viewers.ts';
import { waitCalm } from './watch-alerts.ts';

/** Separate services under load, and the Prometheus that scrapes them. */
export interface Lane {
  stack: Stack;
  prometheus: OwnPrometheus;
  viewers: Pick<Viewers, 'becomeKnown'>;
  stop(): Promise<void>;
}

/** The faults speak of three replicas of key-derivation. */
const replicas = { auth: 1, content: 1, leases: 1, 'key-derivation': 3, playback: 1, gateway: 1 };
/** Between two scrapes: a window of the shortened rules has ten of them. */
const intervalMs = 500;

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
    return { stack, prometheus, viewers, stop };
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
