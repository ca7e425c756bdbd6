/** Labels of which Latchkey's code does not bound the values. */
const free = new Set(['version', 'node', 'file']);
/** Which series of these there are depends on what the machine did. */
const ofNode = /^(nodejs|process)_/;

/** Called until the process is ready, or by other services from time to time; answered so only on a busy machine. */
const polled = /route="\/(?:health|ready|internal\/)|status="503"|"DEPENDENCY_UNAVAILABLE"/;

/** Their series come with the first purge, with an answer that is late, or go while a cache is empty or leases were not counted. */
const atTimes =
  /^latchkey_(?:purge_duration_seconds|purged_rows_total|upstream_errors_total|cache_entries_max|active_leases)$/;

/** A part of a metric with one value that differs, such as a status: the processes that export it, by that value. */
type Values = Map<string, Set<string>>;

/** Names, types, labels and their values. @param texts of `/metrics`, by the name of the process */
export function showMetrics(texts: ReadonlyMap<string, string>): string {
  const metrics = new Map<string, Map<string, Values>>();
  const add = (process: string, name: string, part: string, value: string | undefined = '') => {
    const parts = metrics.get(name) ?? new Map<string, Values>();
    const values: Values = parts.get(part) ?? new Map();
    metrics.set(name, parts.set(part, values.set(value, (values.get(value) ?? new Set()).add(process))));
  };
  for (const [process, text] of texts) {
    let metric = '';
    for (const line of text.split('\n')) {
      const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
      if (kind) {
        metric = name;
        add(process, metric, `${kind.toLowerCase()}: ${rest}`);
      }
      const [, sample, labels = ''] = /^([a-z]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      if (sample && !polled.test(labels) && !atTimes.test(metric))
        add(process, metric, ...splitSample(sample.slice(metric.length), labels, ofNode.test(metric)));
    }
  }
  const blocks = sort(metrics).map(([name, parts]) => [name, ...sort(parts).flatMap(showPart)].join('\n'));
  return `${blocks.join('\n\n')}\n`;
}

const sort = <V>(map: ReadonlyMap<string, V>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

function showPart([part, values]: [string, Values]): string[] {
  const byProcesses = Map.groupBy(sort(values), ([, processes]) => [...processes].join(' '));
  return [...byProcesses].map(([processes, some]) => {
    const shown = some.map(([value]) => value).filter(Boolean);
    return `  ${[part, ...shown].join(' ')} [${processes}]`;
  });
}

/** Of a histogram, the limits of its buckets stand apart from the other labels, which its count has. */
function splitSample(suffix: string, labels: string, isOfNode: boolean): [string, string | undefined] {
  if (suffix === '_sum') return ['sum', ''];
  if (suffix === '_bucket') return ['bucket le', /le="([^"]+)"/.exec(labels)?.[1]];
  const shown = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].filter(([, name]) => name !== 'service');
  const [, lastName = '', lastValue] = shown.pop() ?? [];
  const others = shown.map(([all, name = '']) => (isOfNode || free.has(name) ? name : all));
  const part = [suffix.slice(1) || 'value', ...others, lastName].filter(Boolean).join(' ');
  return isOfNode || free.has(lastName) ? [part, ''] : [part, lastValue];
}
