/** Delays of one condition, in milliseconds. */
export interface Series {
  name: string;
  values: readonly number[];
}

const width = 720;
const height = 300;
const plot = { left: 50, right: 510, top: 20, bottom: 260 };
/** The axis of time is logarithmic, from 0.5 ms to 10 s. */
const decades = { from: Math.log10(0.5), to: 4 };
const colours = ['#1b6ca8', '#c0392b', '#e08e0b', '#6c3483', '#1e8449', '#555555'];
const pointsOfALine = 60;

/** An SVG document: the share of replicas that had refused, by milliseconds, with a line for each condition. */
export function drawPlot(series: readonly Series[]): string {
  const marks = [1, 10, 50, 250, 1_000, 5_000].map(
    (ms) =>
      `<path d="M${x(ms)} ${plot.top}V${plot.bottom}" stroke="#ddd"/><text x="${x(ms)}" y="${plot.bottom + 16}" text-anchor="middle">${ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`}</text>`,
  );
  const shares = [0, 0.5, 0.99].map(
    (share) =>
      `<path d="M${plot.left} ${y(share)}H${plot.right}" stroke="#ddd"/><text x="${plot.left - 6}" y="${y(share) + 4}" text-anchor="end">${share * 100} %</text>`,
  );
  const lines = series.map(({ name, values }, index) => {
    const colour = colours[index % colours.length];
    const legendY = plot.top + 10 + index * 20;
    return `<path d="${lineOf(values)}" fill="none" stroke="${colour}" stroke-width="2"/><path d="M${plot.right + 14} ${legendY - 4}h18" stroke="${colour}" stroke-width="3"/><text x="${plot.right + 38}" y="${legendY}">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#333">
<title>The share of replicas that had refused after a revocation, by time</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${[...marks, ...shares, ...lines].join('\n')}
<text x="${plot.left}" y="${height - 8}">time from the answer of a revocation to the first refusal, each replica</text>
</svg>
`;
}

function lineOf(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const points = Array.from({ length: pointsOfALine + 1 }, (_, index) => {
    const at = Math.min(sorted.length - 1, Math.round((index / pointsOfALine) * (sorted.length - 1)));
    return `${x(sorted[at] ?? 0)} ${y((at + 1) / sorted.length)}`;
  });
  return `M${points.join('L')}`;
}

function x(ms: number): number {
  const share = (Math.log10(Math.max(ms, 0.5)) - decades.from) / (decades.to - decades.from);
  return Math.round(plot.left + Math.min(1, share) * (plot.right - plot.left));
}

function y(share: number): number {
  return Math.round(plot.bottom - share * (plot.bottom - plot.top));
}
