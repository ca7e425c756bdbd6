import { becomesReady, type Subject } from '../servers.ts';

/** Starts and ends a process `count` times. @returns milliseconds from each start until it was ready */
export async function timeBoots(count: number, start: () => Promise<Subject>): Promise<number[]> {
  const tookMs: number[] = [];
  for (let boot = 0; boot < count; boot++) {
    const subject = await start();
    try {
      await becomesReady(subject.url);
      tookMs.push(performance.now() - subject.startedAtMs);
    } finally {
      await subject.stop();
    }
  }
  return tookMs;
}
