import { thresholds } from '@latchkey/shared/statistics/thresholds';

const table = 'shared/src/statistics/thresholds.ts';
const { keyTargetMs, keyAlertMs, clientErrorAlert, serverErrorAlert, firstFrameTargetMs } = thresholds;
const [clientPercent, serverPercent] = [clientErrorAlert * 100, serverErrorAlert * 100];

/** The thresholds as other files state them, in their own words. */
const sayings: Readonly<Record<string, readonly string[]>> = {
  'ops/prometheus/viewers.rules.yaml': [
    `latchkey:keys_failed:ratio_rate5m > ${serverErrorAlert}\n`,
    `latchkey:keys_refused:ratio_rate5m > ${clientErrorAlert}\n`,
    `latchkey:key_duration_seconds:p95_5m > ${keyTargetMs / 1_000}\n`,
    `latchkey:key_duration_seconds:p95_5m > ${keyAlertMs / 1_000}\n`,
    `latchkey_player_time_to_first_frame_seconds_bucket[30m]))) > ${firstFrameTargetMs / 1_000}\n`,
  ],
  'ops/grafana/dashboards/overview.json': [
    `Target: p95 below ${keyTargetMs} ms. Alert above ${keyAlertMs} ms.`,
    `Targets: 5xx below ${serverPercent} %, 4xx below ${clientPercent} %.`,
  ],
  'docs/reference/contract.md': [
    `| below ${keyTargetMs} ms | above ${keyAlertMs} ms |`,
    `| time to the first frame | below ${firstFrameTargetMs / 1_000} s |`,
    `| 4xx answers | | above ${clientPercent} % |`,
    `| 5xx answers | | above ${serverPercent} % |`,
  ],
};

/** Compares the thresholds of the dashboard, the alerts and the contract with the thresholds of the server. */
export function compareThresholds(read: (file: string) => string): string[] {
  const own = 'admin/src/pages/overview/thresholds.ts';
  /** The exports of a file, without the comment at its head. */
  const exportsOf = (file: string) => read(file).replace(/^[\s\S]*?(?=^export )/m, '');
  return [
    ...(exportsOf(own) === exportsOf(table) ? [] : [`${own} differs from ${table}`]),
    ...Object.entries(sayings).flatMap(([file, texts]) => {
      const text = read(file);
      return texts
        .filter((saying) => !text.includes(saying))
        .map((saying) => `${file} does not say "${saying.trim()}", as ${table} has it`);
    }),
  ];
}
