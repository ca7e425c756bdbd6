import { expect } from 'vitest';

/** A line of the forwarded audit. */
export type Line = Record<string, unknown>;

/** The contents that lines of the audit say were registered. */
export const registered = (lines: readonly Line[]) =>
  lines.filter(({ action }) => action === 'content.create').map(({ target }) => String(target));

/** Those of a file or a message. */
export const readLines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Whether each act up to the last one is there, and those that are there twice are the same. */
export function expectComplete(lines: readonly Line[], contents: readonly string[]): void {
  const there = new Set(registered(lines));
  expect(contents.filter((id) => !there.has(id))).toEqual([]);
  const byId = new Map<unknown, string>();
  for (const line of lines) {
    const text = JSON.stringify(line);
    expect(byId.get(line.id) ?? text).toBe(text);
    byId.set(line.id, text);
  }
}
