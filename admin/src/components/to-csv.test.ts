import { expect, it } from 'vitest';
import { toCsvLine } from './to-csv.ts';

it('cells with separators are quoted, and what is not there is empty', () => {
  expect(toCsvLine(['a', 'b,c', 'say "x"', 'two\nlines', null, undefined])).toBe(
    'a,"b,c","say ""x""","two\nlines",,\r\n',
  );
});

it.each(['=1+1', '+1', '-1', '@x', '\tx'])('a spreadsheet does not run the cell %j', (cell) => {
  expect(toCsvLine([cell])).toBe(`'${cell}\r\n`);
});
