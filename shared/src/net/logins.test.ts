import { expect, test } from 'vitest';
import { createLogins } from './logins.ts';

/** `login@place` */
const placeOf = (text: string) => text.split('@')[1] ?? '';

function follow(first: string) {
  const source = { value: first, file: first };
  let others = 0;
  const logins = createLogins({
    source: { reveal: () => source.value, newest: () => source.file },
    placeOf,
    onOtherPlace: () => void others++,
  });
  return { source, logins, others: () => others };
}

test('a login that was renewed before the store knows it gives way to the one before, and comes back once the store takes it', () => {
  const { source, logins } = follow('old@db');
  logins.accept('old@db');
  source.value = source.file = 'new@db';
  expect(logins.current()).toBe('new@db');
  expect(logins.refuse('new@db')).toBe(true);
  expect(logins.current()).toBe('old@db');
  logins.accept('old@db');
  expect(logins.current()).toBe('old@db');
  expect(logins.refuse('old@db')).toBe(true);
  expect(logins.current()).toBe('new@db');
});

test('a refused login gives way to what the file holds at that moment', () => {
  const { source, logins } = follow('old@db');
  source.file = 'new@db';
  expect(logins.current()).toBe('old@db');
  expect(logins.refuse('old@db')).toBe(true);
  expect(logins.current()).toBe('new@db');
});

test('when every login is refused, no further one is tried, and the next connection begins with the present one', () => {
  const { source, logins } = follow('old@db');
  source.value = source.file = 'new@db';
  logins.current();
  expect(logins.refuse('new@db')).toBe(true);
  expect(logins.refuse('old@db')).toBe(false);
  expect(logins.current()).toBe('new@db');
  expect(logins.refuse('new@db')).toBe(true);
});

test('several callers that are refused at once end, and none goes on for ever', () => {
  const { source, logins } = follow('old@db');
  source.value = source.file = 'new@db';
  let attempts = 0;
  for (let caller = 0; caller < 20; caller++) {
    do attempts++;
    while (logins.refuse(logins.current()));
  }
  expect(attempts).toBeLessThanOrEqual(40);
});

test('one server of several may need the login before, while another takes the new one', () => {
  const { source, logins } = follow('old@db');
  logins.accept('old@db');
  source.value = source.file = 'new@db';
  logins.accept(logins.current());
  expect(logins.refuse('new@db')).toBe(true);
  expect(logins.current()).toBe('old@db');
});

test('a text that names another place is not taken, and is reported once', () => {
  const { source, logins, others } = follow('old@db');
  source.value = source.file = 'new@elsewhere';
  expect(logins.current()).toBe('old@db');
  expect(logins.refuse('old@db')).toBe(false);
  expect(logins.current()).toBe('old@db');
  expect(others()).toBe(1);
  source.value = source.file = 'new@db';
  expect(logins.current()).toBe('new@db');
});
