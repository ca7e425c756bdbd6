export { type AuditRecord, toAuditRecord } from './audit-record.ts';
export { createRefusalLog, type RefusalLog } from './refusal-log.ts';
