import { expect, test } from 'vitest';
import { inTurn } from '../in-turn.ts';
import { parseShapes } from './shape.ts';

test('a shape such as 2x4 means 2 gateways and 4 replicas, and other text is an error', () => {
  expect(parseShapes('1x1,2x4')).toEqual([
    { gateways: 1, replicas: 1 },
    { gateways: 2, replicas: 4 },
  ]);
  for (const wrong of ['', '1', '0x1', '1x', '1x2,', 'x'])
    expect(() => parseShapes(wrong)).toThrow('not a shape');
});

test('every other round runs in reverse order', () => {
  expect([0, 1, 2].flatMap((round) => inTurn([1, 2, 4], round))).toEqual([1, 2, 4, 4, 2, 1, 1, 2, 4]);
});
