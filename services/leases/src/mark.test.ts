import { expect, test } from 'vitest';
import { formatMarkId, type Mark, parseMarkId } from './mark.ts';

test.each<Mark>([
  { viewerId: 'ada', contentId: 'film', markedAt: 5 },
  { viewerId: null, contentId: 'film', markedAt: 0 },
  { viewerId: 'null', contentId: null, markedAt: 1_800_000_000_000 },
  { viewerId: 'a/b:c "d" ü 🎬', contentId: null, markedAt: 7 },
])('the id of a mark contains its viewer, its content and its time: %o', (mark) => {
  expect(parseMarkId(formatMarkId(mark))).toEqual(mark);
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each([
  '',
  '../../etc/passwd',
  encode(['ada', 'film', 1.5]),
  encode(['', 'film', 1]),
  encode([['ada'], 'film', 1]),
  encode(['a\u0000', 'film', 1]),
  `${encode(['ada', 'film', 1])}=`,
])('%s is the id of no mark', (id) => expect(parseMarkId(id)).toBeNull());
