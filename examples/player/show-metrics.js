// The eight figures of `getMetrics()`.

const milliseconds = (value) => `${Math.round(value)} ms`;
const figures = [
  ['timeToFirstFrame', 'Time to first frame', milliseconds],
  ['avgKeyFetchTime', 'A key takes', milliseconds],
  ['avgFragLoadTime', 'A segment takes', milliseconds],
  ['avgDecryptTime', 'Decrypting it', (value) => `${value.toFixed(1)} ms`],
  ['keyFetchCount', 'Key requests', String],
  ['fragmentsLoaded', 'Segments', String],
  ['qualitySwitches', 'Quality switches', String],
  ['stallCount', 'Stalls', String],
];

/** @param {import('@latchkey/player').PlayerMetrics | undefined} metrics */
export function showMetrics(metrics) {
  const list = document.getElementById('metrics');
  if (list.childElementCount === 0) list.append(...figures.map(rowOf));
  for (const [name, , format] of figures) {
    const value = metrics?.[name];
    list.querySelector(`[data-figure="${name}"]`).textContent = value == null ? '–' : format(value);
  }
}

function rowOf([name, label]) {
  const row = document.createElement('div');
  const value = document.createElement('dd');
  value.dataset.figure = name;
  row.append(Object.assign(document.createElement('dt'), { textContent: label }), value);
  return row;
}
