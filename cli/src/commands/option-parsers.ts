import { InvalidArgumentError } from 'commander';

/** A whole number from 1 on. */
export function parsePositiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Accepted: a whole number, 1 or more.');
}
