export { createMetrics, type Metrics } from './metrics.ts';
export { startMetricsListener } from './metrics-listener.ts';
