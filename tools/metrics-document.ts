// `npm run check -- metrics-document`: makes docs/reference/metrics.md of the list of metrics in the code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue, type MetricDescription } from '@latchkey/shared/metrics/catalogue';
import { readFlags } from '@latchkey/support/read-flags';

/** From the root of the repository. */
export const documentPath = 'docs/reference/metrics.md';

/** Metrics of prom-client that an operator needs, with what to look at. */
const ofTheProcess: Readonly<Record<string, string>> = {
  process_start_time_seconds:
    'it changes: the process was restarted. Several changes within minutes: it ends again and again',
  process_resident_memory_bytes: 'near the limit of the container',
  process_cpu_seconds_total:
    '`rate` near 1: one thread answers requests, and it is busy. Add replicas or [edge processes](../operate/scale.md)',
  nodejs_eventloop_lag_p99_seconds:
    'above 0.1: the process lacks processor time, or a statement of SQLite is slow. It is 0.02 at least, the time between two looks',
  nodejs_gc_duration_seconds: 'pauses of the garbage collector by `kind`: they grow when memory is short',
  process_open_fds: 'near `process_max_fds`: the limit of open files is too low for the number of viewers',
};

const head = `# Metrics

<!-- Made by npm run check -- metrics-document from shared/src/metrics/catalogue.ts. Edit that file. -->

Each process serves Prometheus text at \`/metrics\` on \`METRICS_PORT\` (9464), a listener of its own. No label holds a content, a viewer or a
path with ids. What is absent in a process does not concern it: a gateway follows no change feed, and SQLite has no connections.

**Every series has the label \`service\`**: \`gateway\`, \`key-derivation\`, \`leases\`, \`auth\`, \`content\`, \`playback\`, \`edge\` or \`single-node\`. A
key request passes the gateway and a replica, and both measure its duration. So choose one, never the sum of both:

| for | choose |
|---|---|
| what clients notice | \`service=~"gateway\\|edge\\|single-node"\` |
| what was decided: \`latchkey_key_requests_total\` | the services that decide keys have it, once for each request |

With separate services each process has its own numbers: add them up over the processes, by \`sum by (service)\`.
`;

const sections: Readonly<Record<keyof typeof catalogue, { title: string; text: string }>> = {
  traffic: { title: 'Requests', text: '' },
  authority: { title: 'Rights, revocations and what is cached', text: '' },
  dependencies: {
    title: 'Dependencies and the process',
    text: `\`dependency\` is a name of \`/ready\`. The values come from the checks of \`/ready\`, at most 5 s old, or from the
last ones while checks hang. \`latchkey_dependency_up\` of a gateway names
the services, and what they need themselves as they report it.`,
  },
  players: {
    title: 'What players report',
    text: 'The player sends one report for each playback, if `reportMetrics` is on. Each report counts once in each histogram.',
  },
};

/** The whole of docs/reference/metrics.md. */
export function renderDocument(): string {
  const parts = Object.entries(sections).map(([name, { title, text }]) =>
    [
      `## ${title}`,
      ...(text ? [text] : []),
      renderTable(Object.entries<MetricDescription>(catalogue[name as keyof typeof catalogue])),
    ].join('\n\n'),
  );
  const rows = Object.entries(ofTheProcess).map(([name, lookAt]) => `| \`${name}\` | ${lookAt} |`);
  const own = `## Of Node

\`prom-client\` adds figures of the process and of Node (\`process_…\`, \`nodejs_…\`). These are worth a look.

| metric | what to look at |
|---|---|
${rows.join('\n')}
`;
  return [head, ...parts.map((part) => `${part}\n`), own].join('\n');
}

function renderTable(metrics: readonly (readonly [string, MetricDescription])[]): string {
  const rows = metrics.map(([name, { type, labels = [], help, lookAt }]) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${help} | ${lookAt} |`.replaceAll('|  |', '| |');
  });
  return ['| metric | type | labels | meaning | what to look at |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

if (import.meta.main) {
  readFlags(
    `npm run check -- metrics-document: writes ${documentPath} from shared/src/metrics/catalogue.ts\n`,
    {},
  );
  writeFileSync(join(import.meta.dirname, '..', documentPath), renderDocument());
  console.log(`${documentPath} is written`);
}
