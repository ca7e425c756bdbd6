import { expect, test } from 'vitest';
import { inTurn } from '../in-turn.ts';
import { parseShapes } from './shape.ts';

test('shapes are gateways times replicas', () => {
  expect(parseShapes('1x1,2x4')).toEqual([
    { gateways: 1, replicas: 1 },
    { gateways: 2, replicas: 4 },
  ]);
  for (const wrong of ['', '1', '0x1', '1x', '1x2,', 'x'])
    expect(() => parseShapes(wrong)).toThrow('no shape');
});

test('rounds go there and back', () => {
  expect([0, 1, 2].flatMap((round) => inTurn([1, 2, 4], round))).toEqual([1, 2, 4, 4, 2, 1, 1, 2, 4]);
});
