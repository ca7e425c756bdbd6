// The load generator. It is a process of its own, so that load and measurement do not share an event loop with the bench. Ends with
// its parent.
import { type Crowd, openCrowd } from './crowd.ts';
import type { Answer, Order } from './order.ts';

let crowd: Crowd | null = null;

async function execute(order: Order): Promise<unknown> {
  if (order.kind === 'run') return crowd?.run(order);
  crowd?.close();
  crowd = order.kind === 'open' ? await openCrowd(order) : null;
  return null;
}

process.on('message', async (order: Order) => {
  let answer: Answer;
  try {
    answer = { result: await execute(order) };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.send?.(answer);
});
process.on('disconnect', () => process.exit(0));
