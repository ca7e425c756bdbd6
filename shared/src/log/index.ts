export { canShareLog, openLogStream } from './log-stream.ts';
export {
  createOperatorLog,
  createRepeatedWarnings,
  createStderrWriter,
  type OperatorLog,
} from './operator-log.ts';
export { redact, redactPath } from './redact.ts';
export { createRequestLog, type RequestLine, type RequestLog } from './request-log.ts';
