import { posix } from 'node:path';
import { metricsIn, parseRules, readRuleFiles } from '@latchkey/support/prometheus/rules';
import { parse } from 'yaml';

const folder = 'docs/operate/runbooks';

/** Metrics of prom-client and of Prometheus itself that rules and pages read. */
const builtIn = [
  'up',
  'ALERTS',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
];

/** The command that a woken engineer runs first. Each page has it before its first alert. */
const firstLook = 'npx latchkey doctor --live http://127.0.0.1:4100\n';

/**
 * Compares alerts and runbooks: sections and severities, and the metrics, alerts, containers and Deployments that they name.
 * Returns a sentence for each fault.
 */
export function findRunbookFaults(files: readonly string[], read: (file: string) => string): string[] {
  const { alerts, records } = parseRules(readRuleFiles());
  const index = `${folder}/alerts.md`;
  const pages = files.filter((file) => file.startsWith(`${folder}/`) && file !== index);
  const [critical = '', warnings = ''] = read(index).split('## Warnings');
  /** `keys.md#latchkeykeysfail` for `LatchkeyKeysFail`: the page with a section of this name and severity. */
  const placeOf = (alert: string, severity: string) => {
    const isOf = (page: string) => read(page).includes(`\n## ${alert}\n\nSeverity: ${severity}.`);
    const page = pages.find(isOf) ?? index;
    const [beginning = ''] = read(page).split('\n## Latchkey');
    return beginning.includes(firstLook) && `${posix.basename(page)}#${alert.toLowerCase()}`;
  };
  const isDocumented = ({ alert, labels: { severity }, annotations }: (typeof alerts)[number]) => {
    const place = placeOf(alert, severity);
    return (
      annotations.runbook_url === `{{ $externalLabels.latchkey_runbooks }}${folder}/${place}` &&
      { critical, warning: warnings }[severity]?.includes(`[${alert}](${place})`)
    );
  };
  const text = [index, ...pages].map(read).join('\n');
  const find = (form: RegExp) => [...text.matchAll(form)].map(([whole, part]) => part ?? whole);
  const deployments = files.flatMap(
    (file) => /^k8s\/overlays\/distributed\/.*?([a-z-]+)\.yaml$/.exec(file)?.[1] ?? [],
  );
  const metrics = [
    ...builtIn,
    ...[...read('docs/reference/metrics.md').matchAll(/^\| `([a-z_0-9]+)` \|/gm)].map(([, name]) => name),
    ...records.map(({ record }) => record),
  ];
  const readMetrics = [
    ...[...alerts, ...records].map(({ expr }) => expr),
    ...find(/^ *promtool query instant \S+ '(.*)'$/gm),
  ].flatMap(metricsIn);
  const named: [what: string, names: string[], known: readonly unknown[]][] = [
    ['the metric', readMetrics, metrics],
    ['the alert', find(/\bLatchkey[A-Z]\w+/g), alerts.map(({ alert }) => alert)],
    [
      'the container',
      find(/^ *docker compose logs .*?([a-z-]+)$/gm),
      Object.keys(parse(read('compose.yaml'), { merge: true }).services),
    ],
    ['the Deployment', find(/\bdeploy\/([a-z-]+)/g), deployments],
  ];
  return [
    ...alerts
      .filter((rule) => !isDocumented(rule))
      .map(
        ({ alert }) =>
          `${alert}: its runbook, the first command of that page, its place in ${index} or its runbook_url is wrong`,
      ),
    ...named.flatMap(([what, names, known]) =>
      [...new Set(names)]
        .filter((name) => !known.includes(name))
        .map((name) => `runbooks or rules name ${what} ${name}, which does not exist or has no alert`),
    ),
  ];
}
