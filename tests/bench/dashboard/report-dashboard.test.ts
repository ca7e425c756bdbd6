import { expect, it } from 'vitest';
import { isQuick } from './report-dashboard.ts';

const quick = { name: 'quick', tookMs: [100, 120.4, 140], fault: null };
const late = { name: 'late', tookMs: [100, 100, 301], fault: null };
const broken = { name: 'broken', tookMs: [], fault: 'it was not shown' };

it('an interaction is not quick if one of its rounds is late or never ends', () => {
  expect([quick, late, broken].map(isQuick)).toEqual([true, false, false]);
});
