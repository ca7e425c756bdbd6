import { expect, test } from 'vitest';
import type { AuditRecord } from '../../api/schema.ts';
import { listAddresses } from './last-addresses.ts';

const record = (id: string, clientIp: string | null, count = 1) => ({ id, clientIp, count }) as AuditRecord;

test('each address is listed once with its newest record and all of its records, and those without one are left out', () => {
  const records = [
    record('9', '192.0.2.1'),
    record('8', '2001:db8::1', 12),
    record('7', null),
    record('6', '192.0.2.1'),
  ];
  expect(listAddresses(records)).toEqual([
    { clientIp: '192.0.2.1', latest: records[0], count: 2 },
    { clientIp: '2001:db8::1', latest: records[1], count: 12 },
  ]);
  expect(listAddresses([])).toEqual([]);
});
