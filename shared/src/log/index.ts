export { createOperatorLog, type OperatorLog } from './operator-log.ts';
export { redactQuery } from './redact-query.ts';
export { createRepeatedWarnings } from './repeated-warnings.ts';
export { createRequestLog, type RequestLine, type RequestLog } from './request-log.ts';
