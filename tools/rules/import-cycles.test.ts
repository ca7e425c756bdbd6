import { expect, it } from 'vitest';
import { findCycles } from './import-cycles.ts';

// Builds the imports, so that no rule takes this file to import them.
const imports = (...specifiers: string[]) =>
  specifiers.map((specifier) => `import type { X } ${'from'} '${specifier}';\n`).join('');

it('two files that import each other are a cycle, though only of types', () => {
  const files = new Map([
    ['a/one.ts', imports('./two.ts')],
    ['a/two.ts', imports('./one.ts')],
  ]);
  expect(findCycles(files)).toEqual(['a/one.ts imports a/two.ts imports a/one.ts: a cycle']);
});

it('a cycle through other folders is found, and only its own files are named', () => {
  const files = new Map([
    ['main.ts', imports('./a/one.ts')],
    ['a/one.ts', imports('../b/two.ts')],
    ['b/two.ts', imports('./three.ts')],
    ['b/three.ts', imports('../a/one.ts')],
  ]);
  expect(findCycles(files)).toEqual([
    'a/one.ts imports b/two.ts imports b/three.ts imports a/one.ts: a cycle',
  ]);
});

it('two files may import a third, and packages may be imported by name', () => {
  const files = new Map([
    ['a/one.ts', imports('./two.ts', './three.ts', 'fastify')],
    ['a/two.ts', imports('./three.ts', './absent.ts')],
    ['a/three.ts', ''],
  ]);
  expect(findCycles(files)).toEqual([]);
});
