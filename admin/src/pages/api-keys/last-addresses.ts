import type { AuditRecord } from '../../api/schema.ts';

/** An address that an API key was used from, by the audit. */
export interface UsedAddress {
  clientIp: string;
  /** The newest record of the key from this address. */
  latest: AuditRecord;
  /** How many acts and refusals came from it. */
  count: number;
}

/** The addresses in the records of one API key, the latest first. @param records newest first */
export function listAddresses(records: readonly AuditRecord[]): UsedAddress[] {
  const byAddress = new Map<string, UsedAddress>();
  for (const record of records) {
    const { clientIp, count } = record;
    if (clientIp === null) continue;
    const known = byAddress.get(clientIp) ?? { clientIp, latest: record, count: 0 };
    byAddress.set(clientIp, { ...known, count: known.count + count });
  }
  return [...byAddress.values()];
}
