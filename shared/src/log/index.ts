export { createHidePersons } from './hide-persons.ts';
export {
  createOperatorLog,
  createRepeatedWarnings,
  createStderrWriter,
  describeError,
  type OperatorLog,
} from './operator-log.ts';
export { holdsCredential, holdsSession, redact, redactId, redactName, redactPath } from './redact.ts';
export type { ProcessIdentity, RequestFailure, RequestLine } from './request-line.ts';
export { createRequestLog, type RequestLog } from './request-log.ts';
