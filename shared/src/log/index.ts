export { describeError } from './describe-error.ts';
export { createHidePersons } from './hide-persons.ts';
export {
  createOperatorLog,
  createRepeatedWarnings,
  createStderrWriter,
  type OperatorLog,
} from './operator-log.ts';
export { identifyProcess, type ProcessIdentity } from './process-identity.ts';
export { holdsCredential, holdsSession, redact, redactId, redactName, redactPath } from './redact.ts';
export type { RequestFailure, RequestLine } from './request-line.ts';
export { createRequestLog, type RequestLog } from './request-log.ts';
