import { expect, it } from 'vitest';
import { createEventParser } from './server-sent-events.ts';

const all = (...pieces: string[]) => {
  const parse = createEventParser();
  return pieces.flatMap((piece) => parse(piece));
};

it('reads events with their names, data and ids, wherever the pieces break', () => {
  const text =
    'retry: 2000\nid: a-0\n\nevent: lease\ndata: {"event":"created"}\nid: a-1\n\n:\n\ndata: x\ndata: y\n\n';
  const events = [
    { name: 'message', data: '', id: 'a-0' },
    { name: 'lease', data: '{"event":"created"}', id: 'a-1' },
    { name: 'message', data: 'x\ny', id: 'a-1' },
  ];
  expect(all(text)).toEqual(events);
  expect(all(...text)).toEqual(events);
});

it('takes line breaks of either kind, and gives nothing for comments and for what is not whole', () => {
  expect(all(': hello\r\n\r\nevent: audit\r\ndata:1\r\n\r\nevent: lease\r\ndata: never ended')).toEqual([
    { name: 'audit', data: '1', id: null },
  ]);
});
