// A load generator of `npm run bench -- --overload`. It is a process of its own, so that it has a core of its own. Ends with its parent.
import { type OpenLoopOrder, runOpenLoop } from './open-loop.ts';

process.on('message', async (order: OpenLoopOrder) => {
  try {
    process.send?.({ result: await runOpenLoop(order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
