import { expectedAlerts } from './expected-alerts.ts';
import type { Raised } from './watch-alerts.ts';

/**
 * A Markdown table of the faults and the alerts that fired.
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
  return [
    '| broken | alerts that had to fire, and did | others that may, and did | all ended after |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Without what all names begin with, which would make the table wide. */
const list = (names: readonly string[]) =>
  names.map((name) => `\`${name.replace(/^Latchkey/, '')}\``).join(', ');
