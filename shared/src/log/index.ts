export {
  createOperatorLog,
  createRepeatedWarnings,
  createStderrWriter,
  type OperatorLog,
} from './operator-log.ts';
export { redact, redactPath } from './redact.ts';
export { createRequestLog, openLogStream, type RequestLine, type RequestLog } from './request-log.ts';
