import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@latchkey/support/find-free-port';
import { makeServerFolder, startServerProgram } from '@latchkey/support/stores/server-program';

/** A process whose metrics are read. */
interface ScrapeTarget {
  /** Its label `instance`. */
  name: string;
  /** Its METRICS_PORT, on the loopback address. */
  port: number;
}

/** A Prometheus of one run, which ends with this process. */
export interface OwnPrometheus {
  /** An instant query. @returns the values of its series with their labels */
  query(expr: string): Promise<{ labels: Record<string, string>; value: number }[]>;
  stop(): Promise<void>;
}

export interface PrometheusOptions {
  /** The path of the program. */
  program: string;
  targets: readonly ScrapeTarget[];
  /** Between two scrapes. A scrape that takes longer has failed. */
  intervalMs: number;
}

/** @throws Error with the end of its log if it does not start */
export async function startPrometheus(options: PrometheusOptions): Promise<OwnPrometheus> {
  const { program, targets, intervalMs } = options;
  const port = await findFreePort();
  const folder = makeServerFolder();
  const interval = `${intervalMs}ms`;
  const config = {
    global: { scrape_interval: interval, scrape_timeout: interval },
    scrape_configs: [
      {
        job_name: 'latchkey',
        static_configs: targets.map(({ name, port }) => ({
          targets: [`127.0.0.1:${port}`],
          labels: { instance: name },
        })),
      },
    ],
  };
  // JSON is YAML too.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const url = `http://127.0.0.1:${port}`;
  const server = await startServerProgram({
    program,
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
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

  // biome-ignore lint/suspicious/noExplicitAny: Prometheus' HTTP API defines the shapes
  async function get(path: string): Promise<any> {
    const answer = await fetch(`${url}${path}`);
    const { status, data, error } = (await answer.json()) as Record<string, unknown>;
    if (status !== 'success') throw new Error(`${path} was answered ${answer.status} ${error}`);
    return data;
  }

  return {
    query: async (expr) =>
      (await get(`/api/v1/query?query=${encodeURIComponent(expr)}`)).result.map(
        ({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => ({
          labels: metric,
          value: Number(value[1]),
        }),
      ),
    stop: server.stop,
  };
}
