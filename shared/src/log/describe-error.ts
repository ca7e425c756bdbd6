/** An error in one line, with its code and its causes. It may contain what a caller chose: apply `redact` before it is written. */
export function describeError(error: Error): string {
  const { code } = error as { code?: unknown };
  const cause = error.cause instanceof Error ? `: ${describeError(error.cause)}` : '';
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}${cause}`;
}
