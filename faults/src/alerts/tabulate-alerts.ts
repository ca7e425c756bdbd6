import { parseRules, readRuleFiles } from '@latchkey/rig/prometheus/rules';
import { expectedAlerts } from './expected-alerts.ts';
import type { Raised } from './watch-alerts.ts';

/**
 * A Markdown table of the faults and the alerts that fired, and the alerts that are expected of no fault.
 *
 * @param names of the faults, in their order
 */
export function tabulate(names: readonly string[], raised: ReadonlyMap<string, Raised>): string {
  const rows = names.map((name) => {
    const { fired = [], calmAfterSeconds = null } = raised.get(name) ?? {};
    const must = expectedAlerts[name]?.must ?? [];
    const [own, others] = [true, false].map((isOwn) =>
      list(fired.filter((each) => must.includes(each) === isOwn)),
    );
    const ended =
      fired.length === 0 ? '' : calmAfterSeconds === null ? 'not ended' : `${calmAfterSeconds.toFixed(0)} s`;
    return `| ${name} | ${own || 'none'} | ${others} | ${ended} |`;
  });
  const expected = new Set(Object.values(expectedAlerts).flatMap(({ must, may = [] }) => [...must, ...may]));
  const untried = parseRules(readRuleFiles())
    .alerts.map(({ alert }) => alert)
    .filter((alert) => !expected.has(alert));
  return [
    '| broken | alerts that had to fire, and did | others that may, and did | all ended after |',
    '|---|---|---|---|',
    ...rows,
    '',
    `No fault of the table raises ${list([...new Set(untried)].sort())}: \`promtool test rules\` shows that on made-up series.`,
  ].join('\n');
}

/** Without what all names begin with, which would make the table wide. */
const list = (names: readonly string[]) =>
  names.map((name) => `\`${name.replace(/^Latchkey/, '')}\``).join(', ');
