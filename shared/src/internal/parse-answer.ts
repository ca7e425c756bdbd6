/** @throws TypeError where it is no object */
export function readObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('the answer is no object');
  return value as Record<string, unknown>;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isNullable<T>(value: unknown, is: (value: unknown) => value is T): value is T | null {
  return value === null || is(value);
}
