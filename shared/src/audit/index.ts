export { type AuditRecord, readNames, toAuditRecord } from './audit-row.ts';
export { createRefusalLog, type RefusalLog } from './refusal-log.ts';
