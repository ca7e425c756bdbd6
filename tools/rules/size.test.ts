import { expect, it } from 'vitest';
import { findTooLong } from './size.ts';

const lines = (count: number) => 'work();\n'.repeat(count);

it.each([
  ['a file of 300 lines', lines(300)],
  ['a function of 70 lines', `function work() {\n${lines(68)}}\n`],
  ['a class of 71 lines', `class Worker {\n${'  work() {}\n'.repeat(69)}}\n`],
  ['a block of tests of 71 lines', `describe('work', () => {\n${lines(69)}});\n`],
  ['a table of tests of 71 lines', `describe.each([1, 2])('work %i', (n) => {\n${lines(69)}});\n`],
])('%s is accepted', (_, source) => {
  expect(findTooLong('work.test.ts', source)).toEqual([]);
});

it.each([
  ['a function', `\nfunction work() {\n${lines(69)}}\n`],
  ['an exported function', `\nexport function work() {\n${lines(69)}}\n`],
  ['an arrow function', `\nconst work = () => {\n${lines(69)}};\n`],
  ['a function in a call', `\ndescribes(() => {\n${lines(69)}});\n`],
  ['one test', `describe('work', () => {\nit('works', () => {\n${lines(69)}});\n});\n`],
])('%s of 71 lines is refused with its place', (_, source) => {
  expect(findTooLong('work.ts', source)).toEqual([
    'work.ts:2 has a function of 71 lines: split it, 70 are allowed',
  ]);
});

it('a method of 71 lines is refused', () => {
  const source = `class Worker {\n  work() {\n${lines(69)}  }\n}\n`;
  expect(findTooLong('work.tsx', source)).toHaveLength(1);
});

it('a file of 301 lines is refused', () => {
  expect(findTooLong('work.mjs', lines(301))).toEqual(['work.mjs has 301 lines: split it, 300 are allowed']);
});
