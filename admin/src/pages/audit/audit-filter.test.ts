import { expect, it } from 'vitest';
import type { AuditRecord } from '../../api/schema.ts';
import { countNewer, everything, readView, toAuditFilter } from './audit-filter.ts';

it('unknown values in an address are ignored', () => {
  expect(readView(new URLSearchParams('action=<b>&outcome=maybe&from=yesterday&to=&x=1'))).toEqual(
    everything,
  );
});

it('the texts of the filter are sent to the server without surrounding spaces', () => {
  const filter = toAuditFilter({ ...everything, actor: ' me ', target: '  ' });
  expect(filter).toMatchObject({ actor: 'me', target: '' });
});

const records = (...ids: string[]) => ids.map((id) => ({ id }) as AuditRecord);

it('newer records are counted by number, not in text order', () => {
  expect(countNewer(records('101', '100', '99'), records('99', '98'))).toBe(2);
  expect(countNewer(records('99'), records('100'))).toBe(0);
  expect(countNewer(records('1'), [])).toBe(0);
});
