import { expect, it } from 'vitest';
import {
  type AuditView,
  everything,
  fromLocalField,
  isBackwards,
  isNarrowed,
  readView,
  toAuditFilter,
  toLocalField,
  writeView,
} from './audit-filter.ts';

const view: AuditView = {
  actor: 'a & b',
  target: '=1+1',
  action: 'api-key.create',
  outcome: 'refused',
  from: '2026-01-31T12:00:00.000Z',
  to: '2026-02-01T12:00:00.000Z',
};

it('goes into the address and comes back from it', () => {
  expect(readView(new URLSearchParams(writeView(view).toString()))).toEqual(view);
  expect(writeView(everything).toString()).toBe('');
  expect([isNarrowed(everything), isNarrowed(view)]).toEqual([false, true]);
});

it('knows times that are the wrong way round', () => {
  expect(isBackwards(view)).toBe(false);
  expect(isBackwards({ ...view, to: view.from })).toBe(true);
  expect(isBackwards({ ...view, from: view.to, to: view.from })).toBe(true);
  expect(isBackwards({ ...view, to: '' })).toBe(false);
});

it('takes what it does not know for absent', () => {
  expect(readView(new URLSearchParams('action=<b>&outcome=maybe&from=yesterday&to=&x=1'))).toEqual(
    everything,
  );
});

it('asks the server for nothing that is blank', () => {
  expect(toAuditFilter({ ...everything, actor: ' me ', target: '  ' })).toEqual({ actor: 'me' });
});

it('a time goes into its field in the time of the reader, and comes back as the same instant', () => {
  expect(fromLocalField(toLocalField(view.from))).toBe(view.from);
  expect([toLocalField(''), fromLocalField('')]).toEqual(['', '']);
});
