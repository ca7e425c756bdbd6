// A process of its own, so that asking and measuring cost the servers' event loops nothing. Ends with its parent.
import { type Crowd, openCrowd } from './crowd.ts';
import type { Answer, Order } from './order.ts';

let crowd: Crowd | null = null;

async function obey(order: Order): Promise<unknown> {
  if (order.kind === 'run') return crowd?.run(order);
  crowd?.close();
  crowd = order.kind === 'open' ? await openCrowd(order) : null;
  return null;
}

process.on('message', async (order: Order) => {
  let answer: Answer;
  try {
    answer = { result: await obey(order) };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.send?.(answer);
});
process.on('disconnect', () => process.exit(0));
