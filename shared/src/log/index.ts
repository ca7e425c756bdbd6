export { createOperatorLog, type OperatorLog } from './operator-log.ts';
export { redact } from './redact.ts';
export { redactPath } from './redact-path.ts';
export { createRepeatedWarnings } from './repeated-warnings.ts';
export { createRequestLog, type RequestLine, type RequestLog } from './request-log.ts';
export { createStderrWriter } from './write-to-stderr.ts';
