export { type AuditRecord, toAuditRecord } from './audit-row.ts';
export { createRefusalLog, type RefusalLog } from './refusal-log.ts';
