import { expect, test } from 'vitest';
import { AnswerReader } from './answer-reader.ts';

const answer = (status: number, body: string) =>
  Buffer.from(`HTTP/1.1 ${status} Any\r\nContent-Length: ${body.length}\r\nX-Any: 1\r\n\r\n${body}`);

test('an answer counts once all its bytes have come, in whatever chunks', () => {
  const bytes = answer(200, '0123456789abcdef');
  for (let cut = 1; cut < bytes.length; cut++) {
    const reader = new AnswerReader();
    expect(reader.push(bytes.subarray(0, cut))).toEqual([]);
    expect(reader.push(bytes.subarray(cut))).toEqual([200]);
  }
});

test('several answers in one chunk are counted one by one', () => {
  const reader = new AnswerReader();
  const half = answer(503, 'wait');
  const chunk = Buffer.concat([answer(200, 'key'), answer(403, ''), half.subarray(0, 20)]);
  expect(reader.push(chunk)).toEqual([200, 403]);
  expect(reader.push(half.subarray(20))).toEqual([503]);
});

test('an answer without a length, or one that is not HTTP, is an error instead of an endless wait', () => {
  const chunked = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  expect(() => new AnswerReader().push(chunked)).toThrow('no length');
  expect(() => new AnswerReader().push(Buffer.alloc(20_000, 65))).toThrow('not an answer');
});
