export { createJobs, everyMs, type Jobs, type Repeating } from './jobs.ts';
export {
  checkTimeoutMs,
  createLoggedReadiness,
  createReadiness,
  Degraded,
  type Dependency,
  type Readiness,
  type ReadyReport,
  watchStartUp,
} from './readiness.ts';
export { createShutdown, endByForce, type Shutdown } from './shutdown.ts';
export { createStartUp, type StartUp } from './start-up.ts';
export { withTimeLimit } from './time-limit.ts';
