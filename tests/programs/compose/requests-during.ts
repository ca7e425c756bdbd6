/** Running requests at any time; more would measure the machine. */
const concurrency = 8;
/** Long enough for the gateway to notice the change both by a broken connection and by its next DNS look-up (2 s). */
const goOnMs = 5_000;

/** How many requests were sent, and the errors of failed ones. */
export interface RequestsSent {
  sent: number;
  failures: unknown[];
}

/** Sends requests without a pause while something happens and for 5 s after it. */
export async function sendRequestsDuring(
  send: () => Promise<unknown>,
  happens: () => Promise<void>,
): Promise<RequestsSent> {
  const result: RequestsSent = { sent: 0, failures: [] };
  let isOver = false;
  const workers = Array.from({ length: concurrency }, async () => {
    while (!isOver) {
      result.sent++;
      await send().catch((error) => result.failures.push(error));
    }
  });
  try {
    await happens();
    await new Promise((resolve) => setTimeout(resolve, goOnMs));
  } finally {
    isOver = true;
    await Promise.all(workers);
  }
  return result;
}
