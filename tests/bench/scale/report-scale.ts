import { median } from '../quantile.ts';
import { table } from '../table.ts';
import { kinds, type Part, type ScaleSample } from './measure-scale.ts';
import { nameOf, type Shape } from './shape.ts';

/** The goal: CPU time for a key request does not depend on the number of replicas. */
const tolerance = 0.05;
const parts: readonly Part[] = ['gateway', 'key-derivation', 'bare'];
const head = [
  'process',
  'asked with',
  'gateways × replicas',
  'CPU time per request, µs',
  'least and most',
  'to the first',
  'the same over that of bare',
  'one of them when idle, ms of CPU a second',
  'p99, ms',
];

interface Line {
  part: Part;
  what: string;
  ratio: number;
  /** Only for parts whose load per process changes with the number of replicas, as it does for the bare servers. */
  overBare: number | null;
  cells: string[];
}

/** Medians, ratios to the first shape, and whether they are within the goal. */
export function reportScale(samples: readonly ScaleSample[], shapes: readonly Shape[]): string {
  const bare = samples.filter((sample) => sample.costs.bare);
  const lines = parts.flatMap((part) =>
    kinds.flatMap((kind) => {
      const own = samples.filter((sample) => sample.kind === kind && sample.costs[part]);
      return own.length === 0
        ? []
        : shapes.map((shape) => lineOf(part, own, bare, shape, shapes[0] ?? shape));
    }),
  );
  const rows = lines.map(({ cells }) => cells);
  return [table(head, rows), ...verdicts(lines.filter(({ part }) => part !== 'bare'))].join('\n\n');
}

function lineOf(
  part: Part,
  samples: readonly ScaleSample[],
  bare: readonly ScaleSample[],
  shape: Shape,
  first: Shape,
): Line {
  const own = microsOf(part, samples, shape);
  const ratio = median(own) / median(microsOf(part, samples, first));
  const bareRatio = median(microsOf('bare', bare, shape)) / median(microsOf('bare', bare, first));
  const overBare = part === 'key-derivation' ? ratio / bareRatio : null;
  const here = samples.filter((sample) => sample.shape === shape);
  const kind = samples[0]?.kind ?? '';
  const name = part === 'bare' ? `${shape.replicas}` : nameOf(shape);
  const idle = here.flatMap(({ costs }) => costs[part]?.idleMsPerSecond ?? []);
  return {
    part,
    what: `${part}, ${kind}, ${name}`,
    ratio,
    overBare,
    cells: [
      part,
      kind,
      name,
      median(own).toFixed(1),
      `${Math.min(...own).toFixed(1)} to ${Math.max(...own).toFixed(1)}`,
      ratio.toFixed(3),
      overBare?.toFixed(3) ?? '',
      median(idle).toFixed(1),
      median(here.map(({ p99Ms }) => p99Ms)).toFixed(1),
    ],
  };
}

function microsOf(part: Part, samples: readonly ScaleSample[], shape: Shape): number[] {
  return samples
    .filter((sample) => sample.shape === shape)
    .flatMap(({ costs }) => costs[part]?.microsPerRequest ?? []);
}

function verdicts(lines: readonly Line[]): string[] {
  const plain = lines.map(({ what, ratio }) => ({ what, ratio }));
  const overBare = lines.flatMap(({ what, overBare: ratio }) => (ratio === null ? [] : { what, ratio }));
  return [
    verdict('To the first shape', plain),
    verdict('To the first shape, over what bare node:http shows', overBare),
  ];
}

function verdict(subject: string, ratios: readonly { what: string; ratio: number }[]): string {
  const beyond = ratios.filter(({ ratio }) => Math.abs(ratio - 1) > tolerance);
  const goal = `within ${tolerance * 100} %`;
  if (beyond.length === 0) return `${subject}, all are ${goal}.`;
  return [
    `${subject}, not ${goal}:`,
    '',
    ...beyond.map(({ what, ratio }) => `- ${what}: ${ratio.toFixed(3)}`),
  ].join('\n');
}
