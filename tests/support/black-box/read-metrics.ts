import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';
import type { ServerProcess } from './server-process.ts';

/** A line of the text for Prometheus. */
interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface ServedMetrics {
  text: string;
  /** By name. */
  types: ReadonlyMap<string, string>;
  samples: readonly Sample[];
}

/** The ports on which the processes of a server serve metrics, by the name of the process. Of several with one name, the first. */
export function metricsPorts(process: Pick<ServerProcess, 'stderr'>): Map<string, number> {
  const separate = process.stderr().matchAll(/([a-z-]+) \d\S+ listens on [^\s,"]+, metrics on port (\d+)/g);
  const single = process.stderr().matchAll(/metrics on http:\/\/127\.0\.0\.1:(\d+)\/metrics/g);
  const ports = [
    ...[...separate].map(([, name = '', port]) => [name, Number(port)] as const),
    ...[...single].map(([, port]) => ['single-node', Number(port)] as const),
  ];
  return new Map(ports.reverse());
}

export async function readMetrics(port: number): Promise<ServedMetrics> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
    ([, name = '', type = '']) => [name, type] as const,
  );
  const samples = [...text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text]),
      ),
      value: Number(value),
    }),
  );
  return { text, types: new Map(types), samples };
}

/** The rows of docs/reference/metrics.md: type and labels by name. */
export function readDocumentedMetrics(): Map<string, { type: string; labels: string[] }> {
  const text = readFileSync(join(repositoryFolder, 'docs/reference/metrics.md'), 'utf8');
  const rows = text.matchAll(/^\| `(\w+)` \| (\w+) \|(.*?)\| .+? \| .+? \|$/gm);
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
    ]),
  );
}
