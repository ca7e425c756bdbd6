export {
  type JudgedValues,
  judgeConfiguration,
} from './configuration-warning.ts';
export { DurationCounts } from './duration-counts.ts';
export { judgePreviousSecrets } from './previous-secrets.ts';
export {
  ConfigurationWarningSchema,
  type PlayerStepReport,
  type ProcessReport,
  ProcessReportSchema,
  ProcessSettingsSchema,
  parseProcessReport,
  type RequestStepReport,
  StatisticsQuerySchema,
} from './process-report.ts';
export { ProcessStatistics } from './process-statistics.ts';
export { keepContents, type RefusedRequest, readKeyPath } from './refused-requests.ts';
export { kindOfRequest } from './request-counts.ts';
export { stepMs, stepsKept } from './step-ring.ts';
export { seriesKept, UsageCounts } from './usage-counts.ts';
export type { ConfigurationWarning } from './warning.ts';
