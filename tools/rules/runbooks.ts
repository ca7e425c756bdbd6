import { metricsIn, parseRules, readRuleFiles } from '@latchkey/support/prometheus/rules';
import { parse } from 'yaml';

const folder = 'docs/runbooks';

/** Metrics of prom-client and of Prometheus itself that rules and pages read. */
const builtIn = [
  'up',
  'ALERTS',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
];

/** The beginning of the section with the commands: what an engineer who was woken runs first. */
const firstLook = `
## What to look at

What is wrong in the whole installation:

\`\`\`sh
npx latchkey doctor --live http://127.0.0.1:4100
\`\`\`
`;

/** `LatchkeyKeysFail` → `docs/runbooks/latchkey-keys-fail.md` */
const pageOf = (alert: string) =>
  `${folder}/${alert.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).slice(1)}.md`;

/**
 * Compares alerts and runbooks: pages and severities, and the metrics, alerts, containers and Deployments that they name.
 * Returns a sentence for each fault.
 */
export function findRunbookFaults(files: readonly string[], read: (file: string) => string): string[] {
  const { alerts, records } = parseRules(readRuleFiles());
  const pages = files.filter((file) => file.startsWith(`${folder}/latchkey-`));
  const [critical = '', warnings = ''] = read(`${folder}/alerts.md`).split('## Warnings');
  const isDocumented = ({ alert, labels: { severity }, annotations }: (typeof alerts)[number]) =>
    pages.includes(pageOf(alert)) &&
    annotations.runbook_url === `{{ $externalLabels.latchkey_runbooks }}${pageOf(alert)}` &&
    read(pageOf(alert)).includes(firstLook) &&
    read(pageOf(alert)).startsWith(`# ${alert}\n\nSeverity: ${severity}.`) &&
    { critical, warning: warnings }[severity]?.includes(
      `[${alert}](${pageOf(alert).replace(`${folder}/`, '')})`,
    );
  const text = [`${folder}/alerts.md`, ...pages].map(read).join('\n');
  const find = (form: RegExp) => [...text.matchAll(form)].map(([whole, part]) => part ?? whole);
  const deployments = files.flatMap(
    (file) => /^k8s\/overlays\/distributed\/.*?([a-z-]+)\.yaml$/.exec(file)?.[1] ?? [],
  );
  const metrics = [
    ...builtIn,
    ...[...read('docs/metrics.md').matchAll(/^\| `([a-z_0-9]+)` \|/gm)].map(([, name]) => name),
    ...records.map(({ record }) => record),
  ];
  const readMetrics = [
    ...[...alerts, ...records].map(({ expr }) => expr),
    ...find(/^promtool query instant \S+ '(.*)'$/gm),
  ].flatMap(metricsIn);
  const named: [what: string, names: string[], known: readonly unknown[]][] = [
    ['the metric', readMetrics, metrics],
    ['the page', pages, alerts.map(({ alert }) => pageOf(alert))],
    ['the alert', find(/\bLatchkey[A-Z]\w+/g), alerts.map(({ alert }) => alert)],
    [
      'the container',
      find(/^docker compose logs .*?([a-z-]+)$/gm),
      Object.keys(parse(read('compose.yaml'), { merge: true }).services),
    ],
    ['the Deployment', find(/\bdeploy\/([a-z-]+)/g), deployments],
  ];
  return [
    ...alerts
      .filter((rule) => !isDocumented(rule))
      .map(
        ({ alert }) =>
          `${alert}: its page, its first command, its place in ${folder}/alerts.md or its runbook_url is wrong`,
      ),
    ...named.flatMap(([what, names, known]) =>
      [...new Set(names)]
        .filter((name) => !known.includes(name))
        .map((name) => `runbooks or rules name ${what} ${name}, which does not exist or has no alert`),
    ),
  ];
}
