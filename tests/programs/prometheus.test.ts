import { execFileSync } from 'node:child_process';
import { fillVariables, queriesOf, readDashboards } from '@latchkey/support/black-box/dashboards';
import { post, startMeasured } from '@latchkey/support/black-box/measured-processes';
import { readMetrics } from '@latchkey/support/black-box/read-metrics';
import { unique } from '@latchkey/support/black-box/unique';
import { parseRules, readRuleFiles } from '@latchkey/support/prometheus/rules';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, test, vi } from 'vitest';
import { startPrometheus } from './own-prometheus.ts';

const { PROMTOOL_PATH, PROMETHEUS_PATH } = process.env;
vi.setConfig({ testTimeout: 120_000 });
const patience = { timeout: 40_000, interval: 100 };
/** Two samples make a rate, so a test waits for twice as long. */
const scrapeEveryMs = 1_000;
const everyScrape = { timeout: 50_000, interval: scrapeEveryMs };
const { singleNode, separate, adminApiKey, ports } = await startMeasured();

test.skipIf(!PROMTOOL_PATH)('promtool check metrics has no complaint about any process', async () => {
  for (const { text } of await Promise.all([...ports.values()].map(readMetrics)))
    expect(execFileSync(PROMTOOL_PATH ?? '', ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe(
      '',
    );
});

/** Series that exist only after a request has met a fault: a failure, or a token with an unknown key. */
const onlyOfFaults = /,status=~"[45]\.\."|^latchkey_unknown_token_keys_total.*/;

/** The metrics that rules read by labels, and not only by their name, which `npm run check` compares with the code. */
function listSelectors(): string[] {
  const { alerts, records } = parseRules(readRuleFiles());
  const found = [...alerts, ...records].flatMap(({ expr }) => expr.match(/\b[a-z]\w*\{[^}]*\}/g) ?? []);
  return [...new Set(found.map((selector) => selector.replace(onlyOfFaults, '')))].filter(Boolean);
}

/** Requests of which each dashboard shows something. */
async function makeTraffic(url: string, key: string): Promise<void> {
  await fetch(`${url}/keys/film`);
  await fetch(`${url}/keys/film`, { headers: { authorization: `Bearer ${key}` } });
  await post(url, '/keys/leases/revoke', key, { viewerId: 'ann' });
  await fetch(`${url}/play/none/index.m3u8`);
}

const playerReport = {
  ...{ timeToFirstFrame: 850, avgDecryptTime: 1, avgFragLoadTime: 80, avgKeyFetchTime: 20 },
  ...{ keyFetchCount: 2, qualitySwitches: 1, fragmentsLoaded: 30, stallCount: 0 },
};

/** Longer than the test, so that a rate has every sample. */
const rateSeconds = 300;

test.skipIf(!PROMETHEUS_PATH)(
  'each query of the dashboards, and each metric that a rule reads by labels, finds data in a Prometheus that scrapes a single node and the separate services',
  async () => {
    const prometheus = await startPrometheus({
      program: PROMETHEUS_PATH ?? '',
      targets: [...ports].map(([name, port]) => ({ name, port })),
      intervalMs: scrapeEveryMs,
    });
    try {
      await vi.waitFor(
        async () => expect(await prometheus.query('latchkey_build_info')).toHaveLength(ports.size),
        patience,
      );
      const viewer = viewerToken(singleNode.jwtSecret, unique('viewer'));
      const queries = readDashboards().flatMap(queriesOf);
      expect(queries.length).toBeGreaterThan(30);
      const selectors = listSelectors();
      expect(selectors.length).toBeGreaterThan(10);
      // A rate needs two samples with an increase between them, so the traffic goes on.
      await vi.waitFor(async () => {
        await makeTraffic(separate.url, adminApiKey);
        await makeTraffic(singleNode.url, singleNode.adminApiKey);
        await post(singleNode.url, '/api/v1/player-metrics', viewer, playerReport);
        const empty: string[] = [];
        for (const { title, expr } of queries) {
          const found = await prometheus.query(fillVariables(expr, rateSeconds));
          if (!found.some(({ value }) => Number.isFinite(value))) empty.push(`${title}: ${expr}`);
        }
        for (const selector of selectors)
          if ((await prometheus.query(selector)).length === 0) empty.push(selector);
        expect(empty).toEqual([]);
      }, everyScrape);
    } finally {
      await prometheus.stop();
    }
  },
);
