import { expect, test } from 'vitest';
import { readLogHeaders } from './answer-headers.ts';

test.each([
  ['api-key 5f1b8c1e', { kind: 'api-key', id: '5f1b8c1e' }],
  ['api-key ', { kind: 'api-key', id: null }],
  ['api-key', { kind: 'api-key', id: null }],
  ['viewer a%20b', { kind: 'viewer', id: 'a b' }],
  ['odd', null],
  ['', null],
])('the header %j names the principal %j, with the space at its end and without it', (value, principal) => {
  expect(readLogHeaders({ 'x-latchkey-principal': value }).principal).toEqual(principal);
});
