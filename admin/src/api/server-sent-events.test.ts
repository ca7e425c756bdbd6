import { expect, it } from 'vitest';
import { createEventParser } from './server-sent-events.ts';

const all = (...pieces: string[]) => {
  const parse = createEventParser();
  return pieces.flatMap((piece) => parse(piece));
};

it('events are parsed with name, data and ID, wherever the pieces break', () => {
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

it('both kinds of line breaks are parsed, and comments and incomplete events are left out', () => {
  expect(all(': hello\r\n\r\nevent: audit\r\ndata:1\r\n\r\nevent: lease\r\ndata: never ended')).toEqual([
    { name: 'audit', data: '1', id: null },
  ]);
});
