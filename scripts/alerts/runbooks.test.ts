import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metricsIn, parseRules, readRuleFiles } from '@latchkey/rig/prometheus/rules';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const folder = 'docs/runbooks';
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { alerts, records } = parseRules(readRuleFiles());
/** Pages of alerts. The folder also has pages of other kinds. */
const pages = readdirSync(join(root, folder)).filter((name) => name.startsWith('latchkey-'));
const documents = ['alerts.md', ...pages].map((name) => `${folder}/${name}`);

/** `LatchkeyKeysFail` → `latchkey-keys-fail.md` */
const pageOf = (alert: string) =>
  `${alert.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).slice(1)}.md`;

/** Metrics of prom-client and of Prometheus itself that rules and pages read. */
const builtIn = new Set([
  'up',
  'ALERTS',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
]);
/** The description of the metrics is made from the code, and a test compares it with a running server's own. */
const exported = new Set(
  [...read('docs/metrics.md').matchAll(/^\| `([a-z_0-9]+)` \|/gm)].map(([, name = '']) => name),
);
const recorded = new Set(records.map(({ record }) => record));
const unknownMetrics = (expr: string) =>
  metricsIn(expr).filter((name) => !builtIn.has(name) && !exported.has(name) && !recorded.has(name));

test('every alert has a runbook page, which its runbook_url names, and every page of an alert an alert', () => {
  expect(pages.sort()).toEqual(alerts.map(({ alert }) => pageOf(alert)).sort());
  for (const { alert, annotations } of alerts)
    expect(annotations.runbook_url).toBe(`${folder}/${pageOf(alert)}`);
});

test('every alert has a severity that its page and the list of alerts name, and a summary', () => {
  const list = read(`${folder}/alerts.md`);
  const [critical = '', warnings = ''] = list.split('## Warnings');
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary.length, alert).toBeGreaterThan(40);
    expect(read(`${folder}/${pageOf(alert)}`)).toMatch(
      new RegExp(`^# ${alert}\n\nSeverity: ${labels.severity}\\.`),
    );
    expect(labels.severity === 'critical' ? critical : warnings).toContain(`[${alert}](${pageOf(alert)})`);
  }
});

test('every page of an alert says what it means, what viewers notice, what to look at, what to do and when it ends', () => {
  for (const page of pages) {
    const headings = [...read(`${folder}/${page}`).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings, page).toEqual([
      'What it means',
      'What viewers notice',
      'What to look at',
      'What to do',
      'When it ends',
    ]);
  }
});

test('the rules read only metrics that the code exports or that a rule records, and every recorded one is recorded once', () => {
  const rules = [...alerts, ...records];
  expect(rules.flatMap(({ expr }) => unknownMetrics(expr))).toEqual([]);
  expect(recorded.size).toBe(records.length);
});

test('the queries in runbooks read only metrics that exist', () => {
  const queries = documents.flatMap((file) =>
    [...read(file).matchAll(/^promtool query instant \S+ '(.*)'$/gm)].map(([, query = '']) => query),
  );
  expect(queries.length).toBeGreaterThan(alerts.length);
  expect(queries.flatMap(unknownMetrics)).toEqual([]);
});

test('runbooks name only alerts, containers and Deployments that exist', () => {
  const text = documents.map(read).join('\n');
  const names = new Set(alerts.map(({ alert }) => alert));
  const named = [...text.matchAll(/\bLatchkey[A-Z]\w+/g)].map(([name]) => name);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
  const { services } = parse(read('compose.yaml'), { merge: true });
  const containers = [...text.matchAll(/^docker compose logs .*?([a-z-]+)$/gm)].map(([, name = '']) => name);
  expect(containers.filter((name) => !Object.hasOwn(services, name))).toEqual([]);
  const manifests = listSourceFiles(root).filter((file) => file.startsWith('k8s/overlays/distributed/'));
  const deployments = manifests.map((file) => /([a-z-]+)\.yaml$/.exec(file)?.[1]);
  const pods = [...text.matchAll(/\bdeploy\/([a-z-]+)/g)].map(([, name]) => name);
  expect(pods.filter((name) => !deployments.includes(name))).toEqual([]);
});

test.each([
  ['sum by (job, le) (rate(a_seconds_bucket{b="c"}[5m])) > 0.1', ['a_seconds']],
  ['x:y:rate5m > 14.4 * 0.001\nand on (job) increase(b_total[1h]) >= 3', ['x:y:rate5m', 'b_total']],
  ['changes(start_time{c=~"d(e|f)"}[15m]) > 2 unless absent(up)', ['start_time', 'up']],
])('the expression %j reads %j', (expr, metrics) => {
  expect(metricsIn(expr)).toEqual(metrics);
});
