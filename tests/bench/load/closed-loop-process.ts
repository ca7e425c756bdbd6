// A load generator of `npm run bench`. It is a process of its own, so that it has a core of its own. Ends with its parent.
import { type ClosedLoopOrder, runClosedLoop } from './closed-loop.ts';

process.on('message', async (order: ClosedLoopOrder) => {
  try {
    process.send?.({ result: await runClosedLoop(order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
