import { expect } from 'vitest';

/** A line of the forwarded audit. */
export type Line = Record<string, unknown>;

/** The contents that lines of the audit say were registered. */
export const registered = (lines: readonly Line[]) =>
  lines.filter(({ action }) => action === 'content.create').map(({ target }) => String(target));

/** The lines of a file or a message. */
export const readLines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Checks that each act is present, no number is missing, and lines with the same number are equal. */
export function expectComplete(lines: readonly Line[], contents: readonly string[]): void {
  const there = new Set(registered(lines));
  expect(contents.filter((id) => !there.has(id))).toEqual([]);
  const texts = new Map<number, string>();
  for (const line of lines) {
    const [number, text] = [Number(line.number), JSON.stringify(line)];
    expect(texts.get(number) ?? text).toBe(text);
    texts.set(number, text);
  }
  const numbers = [...texts.keys()].sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
}
