import { expect, it } from 'vitest';
import { createOutput } from './output.ts';

it('lines of several workers stay whole wherever their texts are cut', () => {
  let written = '';
  const output = createOutput((lines) => {
    expect(lines.endsWith('\n')).toBe(true);
    written += lines;
  });
  output.write(1, Buffer.from('first of '));
  output.write(2, Buffer.from('two: a\ntwo: ü'.slice(0, -1)));
  output.write(2, Buffer.from('ü').subarray(0, 1));
  output.write(1, Buffer.from('one\n'));
  output.write(2, Buffer.concat([Buffer.from('ü').subarray(1), Buffer.from('\n')]));
  expect(written).toBe('two: a\nfirst of one\ntwo: ü\n');
});

it('what a worker left of a line when it ended is written as a line of its own', () => {
  const written: string[] = [];
  const output = createOutput((lines) => written.push(lines));
  output.write(1, Buffer.from('half'));
  output.end(1);
  output.write(1, Buffer.from('whole\n'));
  expect(written).toEqual(['half\n', 'whole\n']);
});
