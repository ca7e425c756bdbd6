import type { OwnPrometheus } from '@latchkey/support/prometheus/own-prometheus';
import type { Checks } from '../checks.ts';
import { expectedAlerts } from './expected-alerts.ts';
import { type Raised, waitCalm, watchAlerts } from './watch-alerts.ts';

/** A fault of servers that run. */
export interface TriedFault {
  name: string;
  /** How long it lasts at least. */
  seconds: number;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** Waits until the servers have recovered. */
  waitWhole(): Promise<void>;
}

/** Longer than the shortened hold of any alert that a short fault must not raise. */
const leastSeconds = 12;

/** Tries a fault, and checks that the alerts for it fire and end, and no others. */
export async function tryFault(
  { name, seconds, begin, end, waitWhole }: TriedFault,
  prometheus: OwnPrometheus,
  checks: Checks,
): Promise<Raised> {
  const { must, may = [] } = expectedAlerts[name] ?? { must: [] };
  await waitCalm(prometheus);
  const raised = await watchAlerts({
    prometheus,
    expected: must,
    begin,
    end,
    leastSeconds: Math.max(leastSeconds, seconds),
  });
  const { fired, calmAfterSeconds } = raised;
  const missing = must.filter((each) => !fired.includes(each));
  const others = fired.filter((each) => !must.includes(each) && !may.includes(each));
  checks.check(`${name}: its alerts fire`, missing.length === 0, `not fired: ${missing.join(', ')}`);
  checks.check(`${name}: no other alert fires`, others.length === 0, `also fired: ${others.join(', ')}`);
  checks.check(`${name}: every alert ends after the repair`, calmAfterSeconds !== null);
  await waitWhole();
  return raised;
}
