/** Texts for the usual codes. Other codes are shown as the system gives them. */
const words: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at that address (ECONNREFUSED)',
  ECONNRESET: 'the receiver closed the connection (ECONNRESET)',
  NO_ANSWER: 'the receiver closed the connection without an answer',
  ENOTFOUND: 'the name of the host is not known (ENOTFOUND)',
  EHOSTUNREACH: 'the host cannot be reached (EHOSTUNREACH)',
  TimeoutError: 'no answer within 10 s',
};

/**
 * Why a try failed, for the admin who looks at the delivery. Never the answer itself: it may hold what the receiver tells only to its
 * callers.
 *
 * @param fault the status of the answer, or what was thrown instead of one
 */
export function describePostFault(fault: unknown): string {
  if (typeof fault === 'number') {
    if (fault === 410) return 'the receiver wants no more messages (410), so the webhook was paused';
    return fault >= 300 && fault < 400
      ? `the receiver redirects (${fault}), and redirects are not followed`
      : `the receiver answered ${fault}`;
  }
  const { code, name } = fault as { code?: unknown; name?: unknown };
  const named = typeof code === 'string' ? code : String(name ?? 'error');
  return words[named] ?? `the request failed (${named})`;
}
