export { type AuditRecord, readNames, toAuditRecord } from './audit-row.ts';
export { type ChainName, chainNames } from './chain/entry-hash.ts';
export { type ChainedPlace, readPlaces } from './chain/read-places.ts';
export { createAuditSealer } from './chain/seal-audit.ts';
export type { Anchor } from './chain/verification.ts';
export { verifyAudit } from './chain/verify-audit.ts';
export { createRefusalLog, type RefusalLog } from './refusal-log.ts';
