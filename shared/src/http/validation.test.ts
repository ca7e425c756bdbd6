import { expect, test } from 'vitest';
import { createQueryReader } from './validation.ts';

function read(type: string, text: string): unknown {
  const query: Record<string, unknown> = { value: text, other: '8' };
  createQueryReader({ type: 'object', properties: { value: { type } } })(query);
  expect(query.other).toBe('8');
  return query.value;
}

// A value that stays a text does not fit the schema, and the client gets a 400 that names the member.
test.each([
  ...[
    '0x10',
    '0b1',
    '1e1',
    ' 1',
    '1 ',
    '+5',
    '5.0',
    '1_0',
    '07',
    '00',
    '-0',
    '-01',
    '٥',
    'Infinity',
    'true',
    'null',
    'five',
    '',
  ],
])('%j in a query is not how an integer is written, and stays a text', (text) => {
  expect(read('integer', text)).toBe(text);
});

test.each([
  ['integer', '16', 16],
  ['integer', '-1', -1],
  ['integer', '0', 0],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', '1', '1'],
  ['string', '7', '7'],
])('where the schema demands the type %s, %j in a query is read as %j', (type, text, value) => {
  expect(read(type, text)).toBe(value);
});
