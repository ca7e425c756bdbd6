// The load generator of sessions, a process of its own. It executes one order at a time, and ends with its parent.
import { EventViewer } from '../event/event-viewer.ts';
import { summarize } from '../event/outcomes.ts';
import { runAll, untilAnswered } from '../event/schedule.ts';
import { monotonicMs } from '../load/order.ts';
import type { ReloadOrder, ReloadResult } from './reload-order.ts';

/** Each session reloads each of its playlists every few seconds, at moments of its own, on a connection for each playlist. */
async function execute({ url, sessions, everySeconds, seconds }: ReloadOrder): Promise<ReloadResult> {
  const players = sessions.flatMap((paths) =>
    paths.map((path) => ({ path, viewer: new EventViewer(url, '') })),
  );
  const ended: Awaited<ReturnType<EventViewer['get']>>[] = [];
  const reload = async ({ path, viewer }: (typeof players)[number], atMs: number, isMeasured: boolean) => {
    const answer = await viewer.get(path, atMs);
    if (isMeasured) ended.push(answer);
  };
  const viewers = players.map(({ viewer }) => viewer);
  const schedule = (fromMs: number, forSeconds: number, isMeasured: boolean) =>
    players.flatMap((player) => {
      const phaseMs = Math.random() * everySeconds * 1_000;
      return Array.from({ length: Math.round(forSeconds / everySeconds) }, (_, n) => ({
        atMs: fromMs + phaseMs + n * everySeconds * 1_000,
        act: (atMs: number) => void reload(player, atMs, isMeasured),
      }));
    });
  // Twice: connections are opened, states are read, and code is compiled.
  await runAll(schedule(monotonicMs(), 2 * everySeconds, false));
  await untilAnswered(viewers);
  const cpuBefore = process.cpuUsage();
  const startedAtMs = monotonicMs();
  await runAll(schedule(startedAtMs, seconds, true));
  const elapsedSeconds = (monotonicMs() - startedAtMs) / 1_000;
  await untilAnswered(viewers);
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const viewer of viewers) viewer.close();
  return {
    playlists: summarize(ended),
    seconds: elapsedSeconds,
    ownCpuShare: (user + system) / 1e6 / elapsedSeconds,
  };
}

process.on('message', async (order: ReloadOrder) => {
  try {
    process.send?.({ result: await execute(order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
