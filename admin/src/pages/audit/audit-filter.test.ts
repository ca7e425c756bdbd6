import { expect, it } from 'vitest';
import type { AuditRecord } from '../../api/schema.ts';
import { auditFilter, readActions } from './audit-filter.ts';
import { countNewer } from './use-audit-page.ts';

it('unknown values in an address are ignored', () => {
  const read = auditFilter.read(new URLSearchParams('action=<b>&outcome=maybe&from=yesterday&to=&x=1'));
  expect(read).toEqual(auditFilter.everything);
});

it('actions that an address leaves out are listed once each, and anything else is ignored', () => {
  expect(readActions('lease.list,<b>,lease.list,,audit.list')).toEqual(['lease.list', 'audit.list']);
  const { without } = auditFilter.read(new URLSearchParams('without=lease.list,X,audit.list'));
  expect(without).toBe('lease.list,audit.list');
  expect(readActions(Array.from({ length: 99 }, (_, n) => 'a'.repeat(n + 1)).join())).toHaveLength(50);
});

const records = (...ids: string[]) => ids.map((id) => ({ id }) as AuditRecord);

it('newer records are counted by number, not in text order', () => {
  expect(countNewer(records('101', '100', '99'), records('99', '98'))).toBe(2);
  expect(countNewer(records('99'), records('100'))).toBe(0);
  expect(countNewer(records('1'), [])).toBe(0);
});
