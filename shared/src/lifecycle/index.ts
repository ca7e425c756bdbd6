export { endByForce } from './end-by-force.ts';
export { createJobs, type Jobs } from './jobs.ts';
export {
  createLoggedReadiness,
  createReadiness,
  Degraded,
  type Dependency,
  type Readiness,
  type ReadyReport,
} from './readiness.ts';
export { everyMs, type Repeating } from './repeat.ts';
export { createShutdown, type Shutdown } from './shutdown.ts';
