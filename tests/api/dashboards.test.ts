import { fillVariables, queriesOf, readDashboards } from '@latchkey/support/black-box/dashboards';
import { readDocumentedMetrics } from '@latchkey/support/black-box/read-metrics';
import { expect, test } from 'vitest';

const dashboards = readDashboards();
/** Ids of Grafana's units: https://github.com/grafana/grafana/blob/main/packages/grafana-data/src/valueFormats/categories.ts */
const units = new Set(['s', 'reqps', 'percentunit', 'bytes', 'short']);
const kinds = new Set(['timeseries', 'stat', 'row']);
/** Members that the types of `@grafana/schema` 13.2.3 demand. Grafana fills in most of them, and a provisioner may refuse their lack. */
const demanded = {
  link: ['asDropdown', 'icon', 'includeVars', 'keepTime', 'tags', 'targetBlank', 'title', 'tooltip', 'type'],
  legend: ['calcs', 'displayMode', 'placement', 'showLegend'],
  timeseries: ['legend', 'tooltip'],
  stat: [
    ...['colorMode', 'graphMode', 'justifyMode', 'orientation', 'percentChangeColorMode'],
    ...['reduceOptions', 'showPercentChange', 'textMode', 'wideLayout'],
  ],
};
const ofTheLibrary = /^(process|nodejs)_/;

test('each dashboard has a uid and a title of its own, and panels with unique ids that do not overlap', () => {
  expect(dashboards.length).toBe(3);
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(3);
  expect(new Set(dashboards.map(({ title }) => title)).size).toBe(3);
  for (const { file, panels } of dashboards) {
    expect([file, new Set(panels.map(({ id }) => id)).size]).toEqual([file, panels.length]);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect([file, x >= 0 && x + w <= 24]).toEqual([file, true]);
      return Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`);
    });
    expect([file, new Set(cells).size]).toEqual([file, cells.length]);
  }
});

test('each panel of a dashboard has a title, a known kind and unit, and reads the Prometheus that the user chose', () => {
  const chosen = { type: 'prometheus', uid: '${datasource}' };
  for (const { file, panels, templating } of dashboards) {
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
      ['service', 'query'],
    ]);
    for (const { title, type, datasource, fieldConfig, targets = [] } of panels) {
      expect([file, title, kinds.has(type), title !== '']).toEqual([file, title, true, true]);
      if (type === 'row') continue;
      expect([file, title, units.has(fieldConfig?.defaults.unit ?? '')]).toEqual([file, title, true]);
      expect([title, datasource, ...targets.map((target) => target.datasource)]).toEqual([
        title,
        chosen,
        ...targets.map(() => chosen),
      ]);
      const references = targets.map(({ refId }) => refId);
      expect([title, references.length > 0, new Set(references).size]).toEqual([
        title,
        true,
        references.length,
      ]);
    }
  }
});

test('links and panels of a dashboard have each member that Grafana’s published types demand', () => {
  const missing = (thing: object | undefined, kind: keyof typeof demanded) =>
    demanded[kind].filter((member) => !Object.hasOwn(thing ?? {}, member));
  for (const { file, links, panels } of dashboards) {
    expect([file, links.flatMap((link) => missing(link, 'link'))]).toEqual([file, []]);
    for (const { title, type, options } of panels.filter(({ type }) => type !== 'row')) {
      expect([title, missing(options, type as 'timeseries' | 'stat')]).toEqual([title, []]);
      if (type === 'timeseries') expect([title, missing(options?.legend, 'legend')]).toEqual([title, []]);
    }
  }
});

test('each query of a dashboard reads metrics that docs/reference/metrics.md has, filters by job and service, and has no unknown variable', () => {
  const documented = readDocumentedMetrics();
  for (const dashboard of dashboards)
    for (const { title, expr } of queriesOf(dashboard)) {
      const names = [...expr.matchAll(/([a-z]\w+)\{([^}]*)\}/g)];
      expect([title, names.length > 0]).toEqual([title, true]);
      for (const [, name = '', filter] of names) {
        const isKnown =
          ofTheLibrary.test(name) ||
          documented.has(name) ||
          documented.has(name.replace(/_(bucket|sum|count)$/, ''));
        expect([title, name, isKnown]).toEqual([title, name, true]);
        expect([title, filter]).toEqual([title, expect.stringMatching(/job=~"\$job",service=~"/)]);
      }
      expect([title, fillVariables(expr, 60)]).toEqual([title, expect.not.stringContaining('$')]);
    }
});
