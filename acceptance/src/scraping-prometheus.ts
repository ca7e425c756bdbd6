import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { startServerProgram } from '@latchkey/rig/stores/server-program';

export interface ScrapingPrometheus {
  /** Whether every target was scraped so many times. */
  hasScraped(times: number): Promise<boolean>;
  /** The values of the series that an expression finds now. @throws Error if Prometheus refuses the expression */
  query(expression: string): Promise<number[]>;
  stop(): Promise<void>;
}

/** Two samples make a rate, so a test waits for twice as long. */
export const scrapeEverySeconds = 1;

/**
 * Starts a Prometheus that scrapes these ports of the loopback address.
 *
 * @param program its path
 * @throws Error with the end of its log if it does not start
 */
export async function startScraping(program: string, ports: readonly number[]): Promise<ScrapingPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-prometheus-'));
  const port = await findFreePort();
  const config = join(folder, 'prometheus.yml');
  const targets = ports.map((target) => `127.0.0.1:${target}`);
  // JSON is YAML, too. A scrape may take long on a busy machine.
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: `${scrapeEverySeconds}s`, scrape_timeout: `${scrapeEverySeconds}s` },
      scrape_configs: [{ job_name: 'latchkey', static_configs: [{ targets }] }],
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  const { stop } = await startServerProgram({
    program,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    port,
    folder,
    url,
    readyLine: /Server is ready to receive web requests/,
    endSignal: 'TERM',
    removesFolder: true,
  });

  async function query(expression: string): Promise<number[]> {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { status, data, error } = (await answer.json()) as {
      status: string;
      error?: string;
      data: { result: { value: [number, string] }[] };
    };
    if (status !== 'success') throw new Error(`${expression}: ${error}`);
    return data.result.map(({ value }) => Number(value[1]));
  }

  return {
    query,
    async hasScraped(times) {
      const counts = await query('count_over_time(latchkey_build_info[10m])');
      return counts.length === ports.length && counts.every((count) => count >= times);
    },
    stop,
  };
}
