/**
 * Waits for work that may know nothing of the signal.
 *
 * @throws the signal's reason as soon as it is aborted; what becomes of the work then is nobody's concern
 */
export function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    const settle = () => signal.removeEventListener('abort', end);
    work.then(resolve, reject).then(settle);
  });
}
