import type { KeyRow } from './report-keys.ts';

const width = 760;
const rowHeight = 26;
const bars = { left: 250, right: 640, top: 40 };
const colours = { user: '#1b6ca8', system: '#e08e0b' };

/** An SVG document: CPU time of one request, a bar for each server, and how much it differed between rounds. */
export function drawKeys(rows: readonly KeyRow[], machine: string): string {
  const most = Math.max(...rows.map(({ mostMicros }) => mostMicros));
  const x = (micros: number) => Math.round(bars.left + (micros / most) * (bars.right - bars.left));
  const height = bars.top + rows.length * rowHeight + 30;
  const lines = rows.map((row, index) => {
    const y = bars.top + index * rowHeight;
    const middle = y + rowHeight / 2;
    const userEnd = x(row.userMicros);
    return [
      `<text x="${bars.left - 8}" y="${middle + 4}" text-anchor="end">${row.name}</text>`,
      bar(bars.left, userEnd, y, colours.user),
      bar(userEnd, x(row.userMicros + row.systemMicros), y, colours.system),
      `<path d="M${x(row.leastMicros)} ${middle}H${x(row.mostMicros)}" stroke="#222" stroke-width="2"/>`,
      `<text x="${x(row.mostMicros) + 8}" y="${middle + 4}">${row.micros.toFixed(1)} µs · ${row.ratio.toFixed(2)}</text>`,
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#333">
<title>CPU time of one key request, and its ratio to bare Fastify</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${bars.left}" y="22"><tspan fill="${colours.user}">user</tspan> + <tspan fill="${colours.system}">system</tspan>, median; the line shows the least and the most of all rounds</text>
${lines.join('\n')}
<text x="10" y="${height - 8}">${machine}</text>
</svg>
`;
}

function bar(from: number, to: number, y: number, colour: string): string {
  return `<rect x="${from}" y="${y + 3}" width="${to - from}" height="${rowHeight - 6}" fill="${colour}"/>`;
}
