export { type JudgedValues, judgeConfiguration, judgePreviousSecrets } from './configuration-warning.ts';
export { DurationCounts } from './duration-counts.ts';
export {
  type ConfigurationWarning,
  ConfigurationWarningSchema,
  type PlayerStepReport,
  type ProcessReport,
  ProcessReportSchema,
  ProcessSettingsSchema,
  parseProcessReport,
  type RefusedRequest,
  type RequestStepReport,
  StatisticsQuerySchema,
} from './process-report.ts';
export { ProcessStatistics } from './process-statistics.ts';
export { keepContents, readKeyPath } from './refused-requests.ts';
export { kindOfRequest } from './request-counts.ts';
export { stepMs, stepsKept } from './step-ring.ts';
export { seriesKept, UsageCounts } from './usage-counts.ts';
