import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRules, readRuleFiles } from '@latchkey/support/prometheus/rules';
import { findTool } from '@latchkey/support/provide-tool';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, test } from 'vitest';
import { type AlertCase, alertCases, healthy } from './alert-cases.ts';
import { findSent, readInhibitions, readMatcher } from './inhibitions.ts';
import { type Phases, toNotation } from './made-up-series.ts';

const promtool = findTool('promtool');
const files = readRuleFiles();
const { alerts } = parseRules(files);

/** Long enough for every rule that looks at the last 30 minutes. */
const healthyMinutes = 40;
/** Between two evaluations: promtool takes 6 ms for each. Each phase of a case begins with one. */
const evaluationInterval = '5m';

/** All that fires at a minute of the history. */
function firingAt(minute: number, names: readonly string[]): object {
  return {
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${minute}m`,
    exp_samples: [...names].sort().map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  };
}

function neverFiring(alert: string, minutes: number): object {
  return {
    expr: `count_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[${minutes}m])`,
    eval_time: `${minutes - 1}m`,
    exp_samples: [],
  };
}

/** How many minutes the rule's expression must hold. */
function holdMinutes(alert: string): number {
  const [, number = '0', unit = 'm'] =
    /^(\d+)([mh])$/.exec(alerts.find((rule) => rule.alert === alert)?.for ?? '') ?? [];
  return Number(number) * (unit === 'h' ? 60 : 1);
}

/** The case in the form of `promtool test rules`. */
function describeCase({
  alert,
  broken,
  also = [],
  never,
  brokenMinutes = 30,
  mendedMinutes = 60,
}: AlertCase): object {
  const phases: Phases = { healthyMinutes, brokenMinutes, mendedMinutes };
  const hold = holdMinutes(alert);
  return {
    name: alert,
    interval: '1m',
    input_series: Object.entries({ ...healthy, ...broken }).map(([series, history]) => ({
      series,
      values: toNotation(history(phases)),
    })),
    promql_expr_test: [
      firingAt(healthyMinutes - 1, []),
      // Of what holds its fire, nothing fires a minute before.
      ...(hold > 1
        ? [
            {
              ...firingAt(healthyMinutes + hold - 1, []),
              expr: `ALERTS{alertname="${alert}",alertstate="firing"}`,
            },
          ]
        : []),
      firingAt(healthyMinutes + brokenMinutes - 1, [alert, ...also]),
      firingAt(healthyMinutes + brokenMinutes + mendedMinutes - 1, []),
      ...(never ? [neverFiring(never, healthyMinutes + brokenMinutes + mendedMinutes)] : []),
    ],
  };
}

function run(...args: string[]): Promise<{ isFine: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(promtool ?? '', args, { cwd: repositoryFolder }, (error, stdout, stderr) =>
      resolve({ isFine: !error, output: `${stdout}${stderr}` }),
    );
  });
}

test.skipIf(!promtool)('promtool finds no fault in the rules for Prometheus', async () => {
  const { isFine, output } = await run('check', 'rules', ...files.map(({ path }) => path));
  expect(isFine, output).toBe(true);
});

/** Runs one case of `promtool test rules`. */
async function runCase(one: object): Promise<{ isFine: boolean; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-alert-'));
  try {
    const file = join(folder, 'case.json');
    const rule_files = files.map(({ path }) => join(repositoryFolder, path));
    // JSON is YAML too.
    writeFileSync(
      file,
      JSON.stringify({ rule_files, evaluation_interval: evaluationInterval, tests: [one] }),
    );
    return await run('test', 'rules', file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.skipIf(!promtool).concurrent.each(alertCases.map((one) => [one.alert, one] as const))(
  'on made-up series, %s fires for its fault and not before, with no other alert than the case names, and ends',
  async (_, one) => {
    const { isFine, output } = await runCase(describeCase(one));
    expect(isFine, output).toBe(true);
  },
);

test.skipIf(!promtool)(
  'the runbook of an alert is a whole address once Prometheus has the external label latchkey_runbooks',
  async () => {
    const [{ labels, annotations } = expect.fail()] = alerts.filter(
      ({ alert }) => alert === 'LatchkeyNotObserved',
    );
    const latchkey_runbooks = 'https://wiki.example.com/latchkey/';
    const runbook_url = `${latchkey_runbooks}docs/operate/runbooks/processes.md#latchkeynotobserved`;
    const { isFine, output } = await runCase({
      external_labels: { latchkey_runbooks },
      input_series: [],
      alert_rule_test: [
        {
          eval_time: '15m',
          alertname: 'LatchkeyNotObserved',
          exp_alerts: [{ exp_labels: labels, exp_annotations: { ...annotations, runbook_url } }],
        },
      ],
    });
    expect(isFine, output).toBe(true);
  },
);

test('every alert has a case of made-up series, and every case an alert', () => {
  expect(alertCases.map(({ alert }) => alert).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});

test('the inhibition rules for Alertmanager name only alerts that have a rule', () => {
  const names = alerts.map(({ alert }) => alert);
  const named = readInhibitions()
    .flatMap((rule) => [...rule.source_matchers, ...rule.target_matchers])
    .map(readMatcher)
    .flatMap(({ label, values }) => (label === 'alertname' ? values : []));
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

/** The alerts of a service whose only process is gone, without the part of their names that all share. */
const serviceLost = ['ProcessDown', 'ServiceAbsent', 'ServiceUnreachable'];
const keysFail = ['KeysBurnFast', 'KeysBurnSlow', 'KeysFail'];

test.each([
  [
    'the database is down',
    'leases',
    [...keysFail, 'ChangesFail', 'DatabaseDown', 'PlaylistsFail', 'ReplicaUnsure', 'ServiceUnreachable'],
    'DatabaseDown',
  ],
  ['the database takes no changes', 'leases', ['ChangesFail', 'DatabaseReadOnly'], 'DatabaseReadOnly'],
  ['the lease service is gone', 'leases', [...serviceLost, 'ChangesFail'], 'ServiceAbsent'],
  ['the content service is gone', 'content', [...serviceLost, 'ChangesFail'], 'ServiceAbsent'],
  ['the playback service is gone', 'playback', [...serviceLost, 'PlaylistsFail'], 'ServiceAbsent'],
  ['every process is gone', 'leases', ['NotObserved', 'ProcessDown', 'ServiceAbsent'], 'NotObserved'],
])('with the inhibition rules, one alert is sent when %s', (_, service, firing, sent) => {
  const labels = firing.map((name) => ({ alertname: `Latchkey${name}`, job: 'latchkey', service }));
  expect(findSent(labels).map(({ alertname }) => alertname)).toEqual([`Latchkey${sent}`]);
});
