import { readFileSync } from 'node:fs';

/** The parts of a `.cpuprofile` (Chrome DevTools protocol, Profiler.Profile) that count. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

/** Time that one function took itself, without those that it called. */
export interface OwnTime {
  /** `name file:line` */
  place: string;
  /** Of all time in which the process was not idle. */
  share: number;
}

const idle = new Set(['(idle)', '(root)', '(program)']);

/**
 * The functions of a profile by their own time, longest first.
 *
 * @param path of a file that `node --cpu-prof` wrote
 * @param lastSeconds what came earlier does not count, such as the start
 */
export function readOwnTimes(path: string, lastSeconds: number): OwnTime[] {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile;
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const micros = new Map<string, number>();
  let total = 0;
  let leftMicros = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  for (const [index, id] of samples.entries()) {
    const place = places.get(id) ?? '';
    const delta = timeDeltas[index] ?? 0;
    leftMicros -= delta;
    if (idle.has(place) || leftMicros > lastSeconds * 1e6) continue;
    total += delta;
    micros.set(place, (micros.get(place) ?? 0) + delta);
  }
  return [...micros].map(([place, own]) => ({ place, share: own / total })).sort((a, b) => b.share - a.share);
}

function placeOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName;
  const file = url
    .replace(/^.*\/node_modules\/(?!.*node_modules\/)/, '')
    .replace(/^.*\/(shared|services|gateway)\//, '$1/');
  return `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}
