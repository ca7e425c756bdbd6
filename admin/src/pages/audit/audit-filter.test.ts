import { expect, it } from 'vitest';
import type { AuditRecord } from '../../api/schema.ts';
import { auditFilter } from './audit-filter.ts';
import { countNewer } from './use-audit-page.ts';

it('unknown values in an address are ignored', () => {
  const read = auditFilter.read(new URLSearchParams('action=<b>&outcome=maybe&from=yesterday&to=&x=1'));
  expect(read).toEqual(auditFilter.everything);
});

const records = (...ids: string[]) => ids.map((id) => ({ id }) as AuditRecord);

it('newer records are counted by number, not in text order', () => {
  expect(countNewer(records('101', '100', '99'), records('99', '98'))).toBe(2);
  expect(countNewer(records('99'), records('100'))).toBe(0);
  expect(countNewer(records('1'), [])).toBe(0);
});
